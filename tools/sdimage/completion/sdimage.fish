# Completion of sdimage for fish; made by: sdimage completion fish

function __sdimage_is_first
    test (count (commandline -opc)) -eq 1
end

function __sdimage_is_behind
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = $argv[1]
end

function __sdimage_is
    set -l words (commandline -opc)
    test (count $words) -gt (count $argv); or return 1
    set -l last (math 1 + (count $argv))
    test "$words[2..$last]" = "$argv"
end

complete -c sdimage -f
complete -c sdimage -n __sdimage_is_first -l version -d 'print the version'
complete -c sdimage -l help -d 'print help'

complete -c sdimage -n __sdimage_is_first -a get -d 'loads pictures from http, https, file and data URLs, or files, several at once'
complete -c sdimage -n '__sdimage_is get' -F
complete -c sdimage -n '__sdimage_is get' -l output -s o -r -F -d 'the file to write, a folder for several, - for standard output'
complete -c sdimage -n '__sdimage_is get' -l thumbnail -x -d 'decode into a box of that many pixels; nothing is enlarged'
complete -c sdimage -n '__sdimage_is get' -l transform -x -a 'resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' -d 'change the picture; again for more'
complete -c sdimage -n '__sdimage_is get' -l quality -x -d '0 to 1, of formats that lose something'
complete -c sdimage -n '__sdimage_is get' -l max-bytes -x -d 'the best quality whose file has at most so many bytes'
complete -c sdimage -n '__sdimage_is get' -l lossless -d 'keep every pixel as it is, of WebP and AVIF'
complete -c sdimage -n '__sdimage_is get' -l format -x -a 'jpeg png gif webp bmp ico heic avif jxl' -d 'the format to write, in place of the one that OUT says'
complete -c sdimage -n '__sdimage_is get' -l first-frame -d 'make a still of an animation'
complete -c sdimage -n '__sdimage_is get' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is get' -l no-cache -d 'neither read a cache nor write one'
complete -c sdimage -n '__sdimage_is get' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a thumb -d 'writes small pictures of files and URLs, in a box of 256x256 pixels where no size is told'
complete -c sdimage -n '__sdimage_is thumb' -F
complete -c sdimage -n '__sdimage_is thumb' -l output -s o -r -F -d 'the file to write, a folder for several, - for standard output'
complete -c sdimage -n '__sdimage_is thumb' -l size -x -d 'the box of the thumbnail in pixels'
complete -c sdimage -n '__sdimage_is thumb' -l thumbnail -x -d 'decode into a box of that many pixels; nothing is enlarged'
complete -c sdimage -n '__sdimage_is thumb' -l transform -x -a 'resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' -d 'change the picture; again for more'
complete -c sdimage -n '__sdimage_is thumb' -l quality -x -d '0 to 1, of formats that lose something'
complete -c sdimage -n '__sdimage_is thumb' -l max-bytes -x -d 'the best quality whose file has at most so many bytes'
complete -c sdimage -n '__sdimage_is thumb' -l lossless -d 'keep every pixel as it is, of WebP and AVIF'
complete -c sdimage -n '__sdimage_is thumb' -l format -x -a 'jpeg png gif webp bmp ico heic avif jxl' -d 'the format to write, in place of the one that OUT says'
complete -c sdimage -n '__sdimage_is thumb' -l first-frame -d 'make a still of an animation'
complete -c sdimage -n '__sdimage_is thumb' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is thumb' -l no-cache -d 'neither read a cache nor write one'
complete -c sdimage -n '__sdimage_is thumb' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a convert -d 'writes a picture, moving ones too, in the format that the extension of OUT says'
complete -c sdimage -n '__sdimage_is convert' -F
complete -c sdimage -n '__sdimage_is convert' -l thumbnail -x -d 'decode into a box of that many pixels; nothing is enlarged'
complete -c sdimage -n '__sdimage_is convert' -l transform -x -a 'resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' -d 'change the picture; again for more'
complete -c sdimage -n '__sdimage_is convert' -l quality -x -d '0 to 1, of formats that lose something'
complete -c sdimage -n '__sdimage_is convert' -l max-bytes -x -d 'the best quality whose file has at most so many bytes'
complete -c sdimage -n '__sdimage_is convert' -l lossless -d 'keep every pixel as it is, of WebP and AVIF'
complete -c sdimage -n '__sdimage_is convert' -l format -x -a 'jpeg png gif webp bmp ico heic avif jxl' -d 'the format to write, in place of the one that OUT says'
complete -c sdimage -n '__sdimage_is convert' -l first-frame -d 'make a still of an animation'
complete -c sdimage -n '__sdimage_is convert' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a frames -d 'writes each frame of a picture into a folder'
complete -c sdimage -n '__sdimage_is frames' -F
complete -c sdimage -n '__sdimage_is frames' -l output -s o -x -a '(__fish_complete_directories (commandline -ct))' -d 'the folder to write into, made where it is missing'
complete -c sdimage -n '__sdimage_is frames' -l thumbnail -x -d 'decode into a box of that many pixels; nothing is enlarged'
complete -c sdimage -n '__sdimage_is frames' -l transform -x -a 'resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' -d 'change the picture; again for more'
complete -c sdimage -n '__sdimage_is frames' -l quality -x -d '0 to 1, of formats that lose something'
complete -c sdimage -n '__sdimage_is frames' -l max-bytes -x -d 'the best quality whose file has at most so many bytes'
complete -c sdimage -n '__sdimage_is frames' -l lossless -d 'keep every pixel as it is, of WebP and AVIF'
complete -c sdimage -n '__sdimage_is frames' -l format -x -a 'jpeg png gif webp bmp ico heic avif jxl' -d 'the format to write, in place of the one that OUT says'
complete -c sdimage -n '__sdimage_is frames' -l first-frame -d 'make a still of an animation'
complete -c sdimage -n '__sdimage_is frames' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a play -d 'shows a picture on the terminal, moving where it moves; q ends, a space stops and goes on'
complete -c sdimage -n '__sdimage_is play' -F
complete -c sdimage -n '__sdimage_is play' -l loops -x -d 'play so often; 0 is for ever'
complete -c sdimage -n '__sdimage_is play' -l rate -x -d 'so much faster, up to 1000'
complete -c sdimage -n '__sdimage_is play' -l screen -x -a 'blocks sixel kitty' -d 'how to draw, in place of what the terminal says'

complete -c sdimage -n __sdimage_is_first -a prefetch -d 'loads the URLs and files that LIST names, one a line, into the disk cache; - for standard input'
complete -c sdimage -n '__sdimage_is prefetch' -F
complete -c sdimage -n '__sdimage_is prefetch' -l jobs -s j -x -d 'as many at once, 6 otherwise'
complete -c sdimage -n '__sdimage_is prefetch' -l thumbnail -x -d 'decode into a box of that many pixels; nothing is enlarged'
complete -c sdimage -n '__sdimage_is prefetch' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is prefetch' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a cache -d 'looks into a disk cache, and removes from it'
complete -c sdimage -n '__sdimage_is_behind cache' -a ls -d 'lists the entries of a disk cache'
complete -c sdimage -n '__sdimage_is cache ls' -l prefix -x -d 'entries whose keys begin so'
complete -c sdimage -n '__sdimage_is cache ls' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache ls' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache ls' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind cache' -a du -d 'tells how much a disk cache holds, and where'
complete -c sdimage -n '__sdimage_is cache du' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache du' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache du' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind cache' -a path -d 'names a file with the bytes of an entry'
complete -c sdimage -n '__sdimage_is cache path' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache path' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache path' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind cache' -a rm -d 'removes entries'
complete -c sdimage -n '__sdimage_is cache rm' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache rm' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache rm' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind cache' -a clear -d 'removes all entries'
complete -c sdimage -n '__sdimage_is cache clear' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache clear' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache clear' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind cache' -a trim -d 'removes the oldest entries until fewer bytes are used'
complete -c sdimage -n '__sdimage_is cache trim' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache trim' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache trim' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind cache' -a verify -d 'compares every checksum of a disk cache'
complete -c sdimage -n '__sdimage_is cache verify' -l repair -d 'remove what is damaged'
complete -c sdimage -n '__sdimage_is cache verify' -l cache -x -a '(__fish_complete_directories (commandline -ct))' -d 'folder of the disk cache'
complete -c sdimage -n '__sdimage_is cache verify' -l namespace -x -d 'part of the cache, default otherwise'
complete -c sdimage -n '__sdimage_is cache verify' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a photos -d 'lists photos and makes thumbnails'
complete -c sdimage -n '__sdimage_is_behind photos' -a ls -d 'lists photos under the names that stay when files move'
complete -c sdimage -n '__sdimage_is photos ls' -l album -x -d 'photos of a folder, event, album or tag'
complete -c sdimage -n '__sdimage_is photos ls' -l sort -x -a 'date name size modified' -d 'the order, by date otherwise'
complete -c sdimage -n '__sdimage_is photos ls' -l reverse -d 'the other way round'
complete -c sdimage -n '__sdimage_is photos ls' -l limit -x -d 'so many at most'
complete -c sdimage -n '__sdimage_is photos ls' -l media -x -a 'image video audio' -d 'files of one kind'
complete -c sdimage -n '__sdimage_is photos ls' -l library -x -a '(__fish_complete_directories (commandline -ct))' -d 'a folder of photos, in place of Pictures'
complete -c sdimage -n '__sdimage_is photos ls' -l shotwell -d 'the database of Shotwell'
complete -c sdimage -n '__sdimage_is photos ls' -l digikam -d 'the database of digiKam'
complete -c sdimage -n '__sdimage_is photos ls' -l json -d 'print one JSON object a line'
complete -c sdimage -n '__sdimage_is_behind photos' -a thumb -d 'writes a photo, or a thumbnail of it'
complete -c sdimage -n '__sdimage_is photos thumb' -l output -s o -r -F -d 'the file to write, a folder for several, - for standard output'
complete -c sdimage -n '__sdimage_is photos thumb' -l size -x -d 'the box of the thumbnail in pixels'
complete -c sdimage -n '__sdimage_is photos thumb' -l thumbnail -x -d 'decode into a box of that many pixels; nothing is enlarged'
complete -c sdimage -n '__sdimage_is photos thumb' -l transform -x -a 'resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' -d 'change the picture; again for more'
complete -c sdimage -n '__sdimage_is photos thumb' -l quality -x -d '0 to 1, of formats that lose something'
complete -c sdimage -n '__sdimage_is photos thumb' -l max-bytes -x -d 'the best quality whose file has at most so many bytes'
complete -c sdimage -n '__sdimage_is photos thumb' -l lossless -d 'keep every pixel as it is, of WebP and AVIF'
complete -c sdimage -n '__sdimage_is photos thumb' -l format -x -a 'jpeg png gif webp bmp ico heic avif jxl' -d 'the format to write, in place of the one that OUT says'
complete -c sdimage -n '__sdimage_is photos thumb' -l first-frame -d 'make a still of an animation'
complete -c sdimage -n '__sdimage_is photos thumb' -l library -x -a '(__fish_complete_directories (commandline -ct))' -d 'a folder of photos, in place of Pictures'
complete -c sdimage -n '__sdimage_is photos thumb' -l shotwell -d 'the database of Shotwell'
complete -c sdimage -n '__sdimage_is photos thumb' -l digikam -d 'the database of digiKam'
complete -c sdimage -n '__sdimage_is photos thumb' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a info -d 'tells what the headers of files say; - is standard input'
complete -c sdimage -n '__sdimage_is info' -F
complete -c sdimage -n '__sdimage_is info' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a bench -d 'measures how long pictures take here, by every way that a load may go'
complete -c sdimage -n '__sdimage_is bench' -F
complete -c sdimage -n '__sdimage_is bench' -l seconds -x -d 'time for each picture, 1 otherwise, up to 600'
complete -c sdimage -n '__sdimage_is bench' -l size -x -d 'the box of the thumbnail in pixels'
complete -c sdimage -n '__sdimage_is bench' -l json -d 'print one JSON object a line'

complete -c sdimage -n __sdimage_is_first -a doctor -d 'tells version, formats, libraries and limits, what a bug report starts with'
complete -c sdimage -n '__sdimage_is doctor' -l json -d 'print one JSON object a line'
