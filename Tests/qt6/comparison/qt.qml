import QtQuick

Grid {
    columns: 25
    Repeater {
        model: urls
        Loader {
            id: cell
            required property string modelData
            readonly property int status: item ? item.status : Image.Null
            width: 64; height: 64
            sourceComponent: modelData.includes(".gif") ? moving : still
            Component {
                id: still
                Image {
                    asynchronous: true
                    sourceSize: Qt.size(64, 64)
                    fillMode: Image.PreserveAspectCrop
                    source: cell.modelData
                }
            }
            Component {
                id: moving
                AnimatedImage {
                    asynchronous: true
                    fillMode: Image.PreserveAspectCrop
                    source: cell.modelData
                }
            }
        }
    }
}
