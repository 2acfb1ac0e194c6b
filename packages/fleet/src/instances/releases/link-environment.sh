# link environment
# Arguments: after those of checkout.sh, the application directory of the release, empty for its root, and `new` for a release that is
# flushed when it is selected, `kept` for one of before.
directory=$1
kind=$2
# link_env DIRECTORY FILE [optional]: the `.env` of the directory in the release leads to the file in the home; what the
# repository has in its place is not used. A directory that the release does not have is a failure unless it is optional. $why
# says what failed.
link_env() {
  why=failed
  [ -f "$home/$2" ] && [ ! -L "$home/$2" ] || return 0
  cd -P -- "$here" || return 1
  descend "$1"
  if [ "$reached" != directory ]; then
    why=$reached
    [ "$3" = optional ]
    return
  fi
  if [ -d ./.env ] && [ ! -L ./.env ]; then why=occupied; return 1; fi
  # Unflushed ./.env, ./.env.fleet-new: the whole storage is flushed before the answer, or before the release is selected.
  rm -f -- ./.env.fleet-new
  ln -s -- "$home/$2" ./.env.fleet-new && mv -fT -- ./.env.fleet-new ./.env
}
# refuse WHY DIRECTORY: the answer, with the directory in printable ASCII.
refuse() {
  field why "$1"
  field directory "$(printf '%s' "$2" | LC_ALL=C tr -c '[:print:]' '?')"
  say failed
}
enter
home=$above
proven "./$name" || say foreign
claim "./$name"
cd -P -- "./$name" || say foreign
here=$(pwd -P)
link_env "$directory" .env '' || refuse "$why" "$directory"
# Directories of Routes with a web root of their own (document B, web roots). A file stays when its Route has gone; whether a
# release has what its Routes serve is examined before it is selected.
if [ -d "$home/env" ] && [ ! -L "$home/env" ]; then
  failed=$(find "$home/env" -name .env -type f | while IFS= read -r file; do
    below=${file#"$home/"}
    of=${below#env/} of=${of%.env} of=${of%/}
    link_env "$of" "$below" optional || echo "$why $of"
  done | head -n 1)
  [ -z "$failed" ] || refuse "${failed%% *}" "${failed#* }"
fi
[ "$kind" = new ] || flush_storage . || say failed
say linked
