# examine source
# Arguments: after those of checkout.sh, the application directory, the most bytes of a file that is read.
directory=$1 limit=$2
kind() {
  if [ -L "$1" ]; then echo other
  elif [ -f "$1" ]; then if [ "$(($(wc -c <"$1")))" -le "$limit" ]; then echo file; else echo large; fi
  elif [ -e "$1" ]; then echo other
  else echo absent; fi
}
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
descend "$directory"
case $reached in
  unsafe) say unsafe-directory ;;
  absent)
    for marker in artisan console composer; do field "$marker" absent; done
    say examined ;;
esac
composer=$(kind ./composer.json)
if [ -L ./bin ]; then console=other; else console=$(kind ./bin/console); fi
field artisan "$(kind ./artisan)"
field console "$console"
field composer "$composer"
if [ "$composer" = file ]; then field_file manifest ./composer.json; fi
say examined
