/* script.h: commands, separated by commas, that a test or show.py gives to the window.
 *
 *   row N        scroll to row N at once          settle      wait until every visible image is ready or failed
 *   fling N      scroll on by N rows, in steps    shown N     wait until N images are visible
 *   shot FILE    write what the window shows      print       print the visible cells, and counts
 *   placeholders N   wait until N placeholders are visible
 *   empty        show nothing, and wait until Qt has released every image */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <QElapsedTimer>
#include <QQuickItem>
#include <QQuickWindow>
#include <QStringList>
#include <QTimer>

class Script : public QObject {
  public:
    /* Runs on the event loop, and quits it after the last command. The status is 1 if a command is not complete
     * within 30 seconds. */
    Script(QQuickWindow *window, const QString &commands);

  private:
    void step();
    bool run(const QString &command, const QString &argument); /* true when the command is complete */
    void fail(const QString &command, const char *why);
    bool shoot(const QString &path);
    void print() const;
    QList<QQuickItem *> seenCells() const;
    int seenWith(const char *name, int status) const; /* visible cells whose property has this Image.status */
    double rowHeight() const;
    void scroll(double y);

    QQuickWindow *window;
    QQuickItem *grid;
    QStringList commands;
    QTimer timer;
    QElapsedTimer since; /* since the beginning of a command */
    double from = 0;
    int steps = 0;
};

#endif
