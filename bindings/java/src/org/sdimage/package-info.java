/**
 * From URLs and bytes to pixels, by libsdimage.
 *
 * <p>The shim is loaded from the file that the property {@code org.sdimage.library} names, or from {@code java.library.path} as
* {@code sdimage_jni}. Images, caches and managers hold memory of the library until they are closed, or collected.
 */
package org.sdimage;
