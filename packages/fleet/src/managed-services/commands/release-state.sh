# shellcheck shell=sh
# Two programs for all of them; what is not as it was sealed is read.
release_state() {
  sound=$(cd "$root$1" && sound_releases)
  for folder in "$root$1"/*; do
    [ -d "$folder" ] || continue
    case "
$sound
" in *"
${folder##*/}
"*) field "release.${folder##*/}" whole ;;
      *) if whole "$folder"; then field "release.${folder##*/}" whole; fi ;;
    esac
  done
}
# sound_releases: the folders here whose seal says what stat says of their files.
sound_releases() {
  set --
  for folder in *; do
    if [ -s "$folder/.seal" ]; then set -- "$@" "$folder/.manifest" "$folder"/*; fi
  done
  [ "$#" -gt 0 ] || return 0
  # shellcheck disable=SC2016
  stat -c '%n %i %s %.9Y %.9Z' -- "$@" | awk '
    { folder = FILENAME }
    is_seal == 0 { folder = $1; sub("/.*", "", folder); sub("^[^/]*/", ""); if ($1 != ".manifest") $0 = "./" $0; found[folder] = found[folder] $0 "\n" }
    is_seal == 1 { sub("^[.]/", "", folder); sub("/.*", "", folder); sealed[folder] = sealed[folder] $0 "\n" }
    END { for (folder in sealed) if (sealed[folder] == found[folder]) print folder }
  ' is_seal=0 - is_seal=1 ./*/.seal
}
