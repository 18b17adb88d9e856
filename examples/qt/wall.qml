// wall.qml: a list of URLs as a grid of images. There are delegates for the visible rows and one more; a delegate that
// scrolls away is reused for another image.
import QtQuick
import QtQuick.Window

Window {
    id: window

    // Each with its optional placeholder: "URL", "URL blurhash TEXT" or "URL thumbhash HEX".
    property list<string> entries
    property int side: 180
    readonly property int gap: 12
    readonly property int columns: Math.max(1, Math.floor((width - gap) / (side + gap)))

    color: "#14161b"
    title: "image://sd"
    visible: true

    GridView {
        id: grid

        objectName: "grid"
        x: gap
        width: columns * cellWidth
        height: parent.height
        topMargin: gap
        cellWidth: side + gap
        cellHeight: side + gap
        cacheBuffer: cellHeight
        reuseItems: true
        model: window.entries

        delegate: Item {
            id: cell

            required property int index
            required property string modelData
            property bool isPooled: false
            readonly property var words: isPooled ? [""] : modelData.split(" ")
            readonly property string url: words[0]
            readonly property alias status: picture.status
            readonly property alias placeholderStatus: placeholder.status
            readonly property size pixels: Qt.size(picture.implicitWidth, picture.implicitHeight)

            width: window.side
            height: window.side
            GridView.onPooled: isPooled = true
            GridView.onReused: isPooled = false

            Rectangle {
                anchors.fill: parent
                color: picture.status === Image.Error ? "#402228" : "#24272f"
            }
            Image {
                id: placeholder

                anchors.fill: parent
                visible: picture.status !== Image.Ready && picture.status !== Image.Error
                source: cell.words.length < 3 ? "" : "image://sd/" + encodeURIComponent(cell.words[1] + ":" + cell.words[2])
                cache: false
            }
            Text {
                anchors.centerIn: parent
                visible: picture.status === Image.Error
                text: "not to be had"
                color: "#a08088"
                font.pixelSize: window.side / 14
            }
            Image {
                id: picture

                // An image of 3:2 still covers the square.
                readonly property int box: window.side * 1.5 * Screen.devicePixelRatio

                anchors.fill: parent
                clip: true
                source: cell.url ? "image://sd/" + encodeURIComponent(cell.url) : ""
                sourceSize: Qt.size(box, box)
                fillMode: Image.PreserveAspectCrop
                cache: false
            }
        }
    }
}
