# check out Homebrew
# Arguments: the tag, the revision that it must have. An own repository with changes is left as it is.
if [ ! -e "$repository/.git" ]; then
  [ -z "$(ls -A "$repository")" ] || refuse conflicting
  { git init --quiet "$repository" && repository_git remote add origin "$official"; } || refuse failed
fi
if [ -L "$repository" ] || [ ! -O "$repository" ]; then refuse conflicting; fi
[ "$(repository_git config --local --get remote.origin.url)" = "$official" ] || refuse conflicting
[ -z "$(repository_git status --porcelain)" ] || refuse conflicting
if [ "$(repository_git rev-parse --verify HEAD)" != "$2" ]; then
  repository_git fetch --quiet --depth 1 origin "refs/tags/$1:refs/tags/$1" || refuse fetch
  [ "$(repository_git rev-parse --verify "refs/tags/$1^{commit}")" = "$2" ] || refuse digest
  repository_git checkout --quiet --force --detach "$2" || refuse failed
  sync
fi
field provisioned yes
