// gallery.qml: a list of URLs as a grid of images.
import QtQuick
import Sdimage

Window {
    id: window

    // Each with its optional placeholder: "URL" or "URL blurhash TEXT".
    property list<string> entries
    property string shot

    readonly property int side: 180
    readonly property int gap: 12
    readonly property int columns: Math.max(1, Math.floor((width - gap) / (side + gap)))

    color: "#14161b"
    title: "sdimage in Qt Quick"
    visible: true

    Rectangle { anchors.fill: parent; color: window.color }
    GridView {
        id: grid

        x: window.gap
        width: window.columns * cellWidth
        height: parent.height
        topMargin: window.gap
        cellWidth: window.side + window.gap
        cellHeight: window.side + window.gap
        cacheBuffer: 2 * cellHeight // the rows that are loaded in advance
        reuseItems: true
        model: window.entries

        delegate: Rectangle {
            id: cell

            required property string modelData
            readonly property var words: modelData.split(" ")
            readonly property bool isLoading: picture.status === RemoteImage.Loading
            property alias progress: picture.progress

            width: window.side
            height: window.side
            color: picture.status === RemoteImage.Error ? "#402228" : "#24272f"

            RemoteImage {
                id: picture

                anchors.fill: parent
                blurHash: cell.words[1] === "blurhash" ? cell.words[2] : ""
                source: cell.words[0]
                fillMode: RemoteImage.PreserveAspectCrop
                progressive: true
            }
            Rectangle {
                anchors.bottom: parent.bottom
                visible: cell.isLoading && picture.progress < 1
                width: parent.width * picture.progress
                height: 3
                color: "#5ea8ff"
            }
            Text {
                anchors { fill: parent; margins: 8 }
                visible: picture.status === RemoteImage.Error
                horizontalAlignment: Text.AlignHCenter
                verticalAlignment: Text.AlignVCenter
                wrapMode: Text.Wrap
                text: picture.errorString
                color: "#a08088"
            }
        }
    }

    Timer {
        interval: 50
        repeat: true
        running: window.shot
        onTriggered: {
            let ready = 0, loading = 0;
            for (let index = 0; index < 24; index++) {
                const cell = grid.itemAtIndex(index);
                loading += cell && cell.isLoading && cell.progress < 0.45 ? 1 : 0;
                ready += cell && !cell.isLoading ? 1 : 0;
            }
            if (ready >= Math.min(21, window.entries.length) && loading === 0) {
                stop();
                window.contentItem.grabToImage(result => Qt.exit(result.saveToFile(window.shot) ? 0 : 1));
            }
        }
    }
}
