import QtQuick
import Sdimage

Grid {
    columns: 25
    Repeater {
        model: urls
        RemoteImage {
            required property string modelData
            width: 64; height: 64
            fillMode: RemoteImage.PreserveAspectCrop
            source: modelData
        }
    }
}
