# Completion of sdimage for bash; made by: sdimage completion bash

# Offers words, files or folders. Files are left to readline, which knows how to quote them.
_sdimage_offer() {
    case $1 in
        @file) ;;
        @folder) compopt -o dirnames +o default 2>/dev/null ;;
        @any | '') compopt +o default 2>/dev/null ;;
        *)
            compopt +o default 2>/dev/null
            COMPREPLY=($(compgen -W "$1" -- "$2"))
            [[ ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
            ;;
    esac
}

_sdimage() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options='' words='' value='' has_value=''
    COMPREPLY=()
    # --option=value comes as three words.
    if [[ $current == = ]]; then
        current=''
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        _sdimage_offer 'get thumb convert frames play prefetch cache photos info bench doctor --help --version' "$current"
        return
    fi
    case $command in
        cache)
            if ((COMP_CWORD == 2)); then
                _sdimage_offer 'ls du path rm clear trim verify' "$current"
                return
            fi
            command+=" ${COMP_WORDS[2]}"
            ;;
        photos)
            if ((COMP_CWORD == 2)); then
                _sdimage_offer 'ls thumb' "$current"
                return
            fi
            command+=" ${COMP_WORDS[2]}"
            ;;
    esac
    case $command in
        'get')
            words='@file'
            options='-o --output --thumbnail --transform --quality --max-bytes --lossless --format --first-frame --cache --no-cache --json --help'
            case $before in
                -o | --output) has_value=1 value='@file' ;;
                --thumbnail) has_value=1 value='@any' ;;
                --transform) has_value=1 value='resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' ;;
                --quality) has_value=1 value='@any' ;;
                --max-bytes) has_value=1 value='@any' ;;
                --format) has_value=1 value='jpeg png gif webp bmp ico heic avif jxl' ;;
                --cache) has_value=1 value='@folder' ;;
            esac
            ;;
        'thumb')
            words='@file'
            options='-o --output --size --thumbnail --transform --quality --max-bytes --lossless --format --first-frame --cache --no-cache --json --help'
            case $before in
                -o | --output) has_value=1 value='@file' ;;
                --size) has_value=1 value='@any' ;;
                --thumbnail) has_value=1 value='@any' ;;
                --transform) has_value=1 value='resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' ;;
                --quality) has_value=1 value='@any' ;;
                --max-bytes) has_value=1 value='@any' ;;
                --format) has_value=1 value='jpeg png gif webp bmp ico heic avif jxl' ;;
                --cache) has_value=1 value='@folder' ;;
            esac
            ;;
        'convert')
            words='@file'
            options='--thumbnail --transform --quality --max-bytes --lossless --format --first-frame --json --help'
            case $before in
                --thumbnail) has_value=1 value='@any' ;;
                --transform) has_value=1 value='resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' ;;
                --quality) has_value=1 value='@any' ;;
                --max-bytes) has_value=1 value='@any' ;;
                --format) has_value=1 value='jpeg png gif webp bmp ico heic avif jxl' ;;
            esac
            ;;
        'frames')
            words='@file'
            options='-o --output --thumbnail --transform --quality --max-bytes --lossless --format --first-frame --json --help'
            case $before in
                -o | --output) has_value=1 value='@folder' ;;
                --thumbnail) has_value=1 value='@any' ;;
                --transform) has_value=1 value='resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' ;;
                --quality) has_value=1 value='@any' ;;
                --max-bytes) has_value=1 value='@any' ;;
                --format) has_value=1 value='jpeg png gif webp bmp ico heic avif jxl' ;;
            esac
            ;;
        'play')
            words='@file'
            options='--loops --rate --screen --help'
            case $before in
                --loops) has_value=1 value='@any' ;;
                --rate) has_value=1 value='@any' ;;
                --screen) has_value=1 value='blocks sixel kitty' ;;
            esac
            ;;
        'prefetch')
            words='@file'
            options='-j --jobs --thumbnail --cache --json --help'
            case $before in
                -j | --jobs) has_value=1 value='@any' ;;
                --thumbnail) has_value=1 value='@any' ;;
                --cache) has_value=1 value='@folder' ;;
            esac
            ;;
        'cache ls')
            words=''
            options='--prefix --cache --namespace --json --help'
            case $before in
                --prefix) has_value=1 value='@any' ;;
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'cache du')
            words=''
            options='--cache --namespace --json --help'
            case $before in
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'cache path')
            words='@any'
            options='--cache --namespace --json --help'
            case $before in
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'cache rm')
            words='@any'
            options='--cache --namespace --json --help'
            case $before in
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'cache clear')
            words=''
            options='--cache --namespace --json --help'
            case $before in
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'cache trim')
            words='@any'
            options='--cache --namespace --json --help'
            case $before in
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'cache verify')
            words=''
            options='--repair --cache --namespace --json --help'
            case $before in
                --cache) has_value=1 value='@folder' ;;
                --namespace) has_value=1 value='@any' ;;
            esac
            ;;
        'photos ls')
            words=''
            options='--album --sort --reverse --limit --media --library --shotwell --digikam --json --help'
            case $before in
                --album) has_value=1 value='@any' ;;
                --sort) has_value=1 value='date name size modified' ;;
                --limit) has_value=1 value='@any' ;;
                --media) has_value=1 value='image video audio' ;;
                --library) has_value=1 value='@folder' ;;
            esac
            ;;
        'photos thumb')
            words='@any'
            options='-o --output --size --thumbnail --transform --quality --max-bytes --lossless --format --first-frame --library --shotwell --digikam --json --help'
            case $before in
                -o | --output) has_value=1 value='@file' ;;
                --size) has_value=1 value='@any' ;;
                --thumbnail) has_value=1 value='@any' ;;
                --transform) has_value=1 value='resize: crop: flip:h flip:v flip:hv rotate: round: blur: tint: filter:' ;;
                --quality) has_value=1 value='@any' ;;
                --max-bytes) has_value=1 value='@any' ;;
                --format) has_value=1 value='jpeg png gif webp bmp ico heic avif jxl' ;;
                --library) has_value=1 value='@folder' ;;
            esac
            ;;
        'info')
            words='@file'
            options='--json --help'
            case $before in
            esac
            ;;
        'bench')
            words='@file'
            options='--seconds --size --json --help'
            case $before in
                --seconds) has_value=1 value='@any' ;;
                --size) has_value=1 value='@any' ;;
            esac
            ;;
        'doctor')
            words=''
            options='--json --help'
            case $before in
            esac
            ;;
    esac
    if [[ $has_value ]]; then
        _sdimage_offer "$value" "$current"
    elif [[ $current == -* ]]; then
        _sdimage_offer "$options" "$current"
    else
        _sdimage_offer "$words" "$current"
    fi
}
complete -o default -F _sdimage sdimage
