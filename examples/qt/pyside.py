#!/usr/bin/env python3
"""Shows a remote image with PySide6: pyside.py URL; QML_IMPORT_PATH names the folder of the module, if it is not Qt's."""

import sys

from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtQml import QQmlApplicationEngine

QML = b"""import QtQuick; import Sdimage
Window { visible: true; width: 400; height: 400; property alias source: image.source
         RemoteImage { id: image; anchors.fill: parent
                       onStatusChanged: if (status !== RemoteImage.Loading) console.log(sourceSize, errorString) } }"""

application = QGuiApplication(sys.argv)
engine = QQmlApplicationEngine()
engine.loadData(QML)
engine.rootObjects()[0].setProperty("source", QUrl(sys.argv[1]))
sys.exit(application.exec())
