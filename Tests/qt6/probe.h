/* probe.h: results of tests as lines, waiting with the event loop, and a loader of images that show their number. */
#ifndef PROBE_H
#define PROBE_H

#include <QColor>
#include <QImage>
#include <QString>
#include <QUrl>

#include <atomic>
#include <functional>
#include <memory>

#include <sdimage/qt/loader.h>

/* Prints `ok NAME` or `not ok NAME: WHY`. */
bool check(const QString &name, bool isFine, const QString &why = {});
/* The status of the program. */
int failures();
/* Runs the event loop until the condition is true; false after two minutes. */
bool waitFor(const std::function<bool()> &condition);
/* Runs the event loop once and returns. */
void turn();
/* Makes the shared loader one with a cache in memory that loads over HTTP, one transfer at a time. */
void useOneTransfer();
/* Lets the process allocate at most this many more bytes, or with 0 any number. Without memory, Qt ends the process. */
void limitMemory(qint64 bytes);

/* Images of `tile:/NUMBER` URLs. The colors of the two halves encode the number. Query:
 *   side=N    side in pixels, 40 by default        hold      nothing arrives until `release`
 *   moving    an animation of two frames: the number, and the number + 1
 *   png       PNG instead of BMP
 *   fail      an error                             slow      arrives in pieces, one for each call of `release`
 *   vector    an SVG image of 24 by 24 units       wide      an image of more pixels in a row than QImage can hold */
class Tiles {
  public:
    /* A loader with these images and a cache in memory; the shared one from now on. */
    Tiles();
    ~Tiles();

    static QUrl url(int number, const QString &query = {});
    /* The number of the image that fills the rectangle; -1 if there is another color. */
    static int numberIn(const QImage &image, const QRect &box);
    static int numberIn(const QImage &image) { return numberIn(image, image.rect()); }
    static QImage picture(int number, int side = 40);
    /* The picture as a file. */
    static QByteArray encoded(int number, int side = 40, const char *format = "BMP");
    /* The file of `vector`. */
    static QByteArray vector();

    /* Continues the loads that are held. */
    void release();
    /* The number of loads that are held. */
    int heldCount() const;

  private:
    /* Shared with the loader, which may call until it is destroyed. */
    struct State;
    std::shared_ptr<State> state;
    friend struct TileFunctions;

  public:
    /* The numbers of loads started and cancelled, and the priority of the latest one. */
    std::atomic<int> &started, &cancelled, &priority;
};

#endif
