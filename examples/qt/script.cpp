/* script.cpp: drives the window by commands. */
#include "script.h"

#include <QCoreApplication>
#include <QImage>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "image_provider.h"

namespace {
constexpr int tick = 16, patience = 30000, stepsOfRow = 4;

/* The values of Image.status. */
enum Status { null, ready, loading, error };
} // namespace

Script::Script(QQuickWindow *window, const QString &text)
    : window(window), grid(window->findChild<QQuickItem *>(QStringLiteral("grid"))), commands(text.split(u',')) {
    connect(&timer, &QTimer::timeout, this, &Script::step);
    since.start();
    timer.start(tick);
}

void Script::step() {
    while (!commands.isEmpty()) {
        QString command = commands.first().trimmed().section(u' ', 0, 0),
                argument = commands.first().trimmed().section(u' ', 1);
        if (!run(command, argument)) {
            if (since.elapsed() < patience)
                return;
            print();
            fail(commands.first(), "it does not come true");
            return;
        }
        if (commands.isEmpty())
            return; /* the command has failed */
        commands.removeFirst();
        since.restart();
        steps = 0;
        /* The window draws the changes before the next command. */
        if (command == u"row" || command == u"fling")
            return;
    }
    timer.stop();
    QCoreApplication::exit(0);
}

void Script::fail(const QString &command, const char *why) {
    std::fprintf(stderr, "gallery-qt: %s: %s\n", qPrintable(command), why);
    commands.clear();
    timer.stop();
    QCoreApplication::exit(1);
}

bool Script::run(const QString &command, const QString &argument) {
    int number = argument.toInt();
    if (!grid && command != u"empty" && command != u"print") {
        fail(command, "there is no view any more");
    } else if (command == u"row") {
        scroll(number * rowHeight());
    } else if (command == u"fling") {
        if (steps++ == 0)
            from = grid->property("contentY").toDouble() + grid->property("topMargin").toDouble();
        int all = std::abs(number) * stepsOfRow;
        scroll(from + number * rowHeight() * steps / all);
        return steps >= all;
    } else if (command == u"settle") {
        return steps++ > 0 && seenWith("status", loading) == 0 && seenWith("status", null) == 0;
    } else if (command == u"shown") {
        return seenWith("status", ready) >= number;
    } else if (command == u"placeholders") {
        return seenWith("placeholderStatus", ready) >= number;
    } else if (command == u"shot") {
        return shoot(argument);
    } else if (command == u"empty") {
        /* Deletes the view itself: an empty one in Qt 6.4 may hold delegates of a position that it jumped to. */
        delete grid;
        grid = nullptr;
        window->update();
        return ImageProvider::counts().pictures == 0;
    } else if (command == u"print") {
        print();
    } else if (!command.isEmpty()) {
        fail(command, "no such command");
    }
    return true;
}

bool Script::shoot(const QString &path) {
    QImage shot = window->grabWindow();
    return !shot.isNull() && shot.save(path);
}

/* Without the cells that have been created but not placed yet. */
QList<QQuickItem *> Script::seenCells() const {
    QList<QQuickItem *> found;
    if (!grid)
        return found;
    for (QQuickItem *cell : qvariant_cast<QQuickItem *>(grid->property("contentItem"))->childItems()) {
        QPointF place = cell->mapToScene({0, 0});
        QQuickItem *there = nullptr;
        QMetaObject::invokeMethod(grid, "itemAt", Q_RETURN_ARG(QQuickItem *, there), Q_ARG(qreal, cell->x()),
                                  Q_ARG(qreal, cell->y()));
        if (there == cell && place.y() + cell->height() > 0 && place.y() < window->height())
            found.append(cell);
    }
    return found;
}

int Script::seenWith(const char *name, int status) const {
    QList<QQuickItem *> cells = seenCells();
    return int(std::count_if(cells.begin(), cells.end(),
                             [=](QQuickItem *cell) { return cell->property(name).toInt() == status; }));
}

double Script::rowHeight() const {
    return grid->property("cellHeight").toDouble();
}

/* The list begins below its margin. */
void Script::scroll(double y) {
    double margin = grid->property("topMargin").toDouble();
    double last = std::max(0.0, grid->property("contentHeight").toDouble() + margin - grid->height());
    grid->setProperty("contentY", std::clamp(y, 0.0, last) - margin);
}

void Script::print() const {
    static const char *const states[] = {"empty", "shown", "loading", "error"};
    for (QQuickItem *cell : seenCells()) {
        QPointF place = cell->mapToScene({0, 0});
        QSizeF size = cell->property("pixels").toSizeF();
        std::printf("cell %d %.0f %.0f %.0f %s %.0fx%.0f %s\n", cell->property("index").toInt(), place.x(), place.y(),
                    cell->width(), states[cell->property("status").toInt() & 3], size.width(), size.height(),
                    qPrintable(cell->property("url").toString()));
    }
    ImageProvider::Counts counts = ImageProvider::counts();
    std::printf("wall %d loads, %d cancelled, %d pictures\n", counts.loads, counts.cancelled, counts.pictures);
    std::fflush(stdout);
}
