// item.qml: properties and enums of the module, for qmllint.
import Sdimage

RemoteImage {
    fillMode: RemoteImage.PreserveAspectCrop
    source: "a.png"
    visible: status === RemoteImage.Ready
}
