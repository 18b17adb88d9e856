/* script.h: commands, separated by commas, that a test or show.py gives to the window.
 *
 *   row N        scroll to row N at once          settle      wait until all that is seen is there, or is an error
 *   fling N      scroll on by N rows, in steps    shown N     wait until so many pictures are seen
 *   shot FILE    write what the window shows      print       tell the cells that are seen, and counts
 *   placeholders N   wait until so many of those are there
 *   empty        show nothing any more, and wait until Qt has given every picture back */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <QElapsedTimer>
#include <QQuickItem>
#include <QQuickWindow>
#include <QStringList>
#include <QTimer>

class Script : public QObject {
  public:
    /* Runs on the event loop, and ends it; the status is 1 when a command does not come true within 30 seconds. */
    Script(QQuickWindow *window, const QString &commands);

  private:
    void step();
    bool run(const QString &command, const QString &argument); /* true when it is over */
    void fail(const QString &command, const char *why);
    bool shoot(const QString &path);
    void print() const;
    QList<QQuickItem *> seenCells() const;
    int seenWith(const char *name, int status) const; /* cells whose property is a status of an Image */
    double rowHeight() const;
    void scroll(double y);

    QQuickWindow *window;
    QQuickItem *grid;
    QStringList commands;
    QTimer timer;
    QElapsedTimer since; /* the beginning of a command */
    double from = 0;
    int steps = 0;
};

#endif
