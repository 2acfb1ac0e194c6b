# adopt source
# Arguments: after those of checkout.sh, the directory to adopt, the line to exclude, and of a linked worktree the checkout that
# it belongs to.
source=$1 exclude=$2 main=$3
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
command -v git >/dev/null || say git-missing
exists "./$folder" || mkdir -- "./$folder"
enter
here=$(pwd -P)

is_source() {
  if [ -n "$main" ]; then straighten "$1" && is_ours "$1"; else [ -d "$1/.git" ] && [ ! -L "$1/.git" ]; fi &&
    [ "$(cd -P -- "$1" && pwd -P)" = "$1" ]
}
is_ours() { leads "$1" && case $own_git in "$main"/.git/worktrees/*) [ -d "$own_git" ] ;; *) return 1 ;; esac; }

# Git may have written the way as one from the worktree, which then must not move.
straighten() {
  [ -f "$1/.git" ] && [ ! -L "$1/.git" ] && IFS= read -r link <"$1/.git" || return 1
  case $link in 'gitdir: /'*) return ;; 'gitdir: '*) ;; *) return 1 ;; esac
  link=$(cd -P -- "$1" && cd -P -- "${link#gitdir: }" && pwd -P) || return 1
  # Unflushed "$1/.git.fleet-$preparation": it is written anew.
  rm -f -- "$1/.git.fleet-$preparation"
  (set -C && printf 'gitdir: %s\n' "$link" >"$1/.git.fleet-$preparation") && flush "$1/.git.fleet-$preparation" &&
    mv -f -- "$1/.git.fleet-$preparation" "$1/.git" && flush "$1"
}

# The fleet's own files are nobody's work.
ignore() {
  excluded=$shared_git/info/exclude
  if [ -n "$(tail -c 1 "$excluded")" ]; then echo >>"$excluded" || return 1; fi
  printf '%s\n' "$exclude" | while IFS= read -r line; do
    grep -qxF -- "$line" "$excluded" || printf '%s\n' "$line" >>"$excluded" || return 1
  done
}

adopted() {
  claim "./$name"
  repair "./$name" "$source" || blame failed '' .
  cd "./$name" && locate . || say foreign
  tame
  [ ! -L "$shared_git/info" ] && mkdir -p "$shared_git/info" && [ ! -L "$shared_git/info/exclude" ] || blame failed '' "$receipts"
  ignore || blame failed '' "$receipts"
  flush_storage . || blame failed '' "$receipts"
  copied=no
  [ "$source" = "$here/$name" ] || ! exists "$source" || copied=yes
  field copied "$copied"
  field head "$(g symbolic-ref -q HEAD)"
  field commit "$(g rev-parse -q --verify 'HEAD^{commit}')"
  say adopted
}

if exists "./$name" && proven "./$name"; then adopted; fi
is_source "$source" || say absent
case $here/ in "$source/"*) [ "$source" = "$here/$name" ] || say holds-managed ;; esac
if [ "$source" = "$here/$name" ]; then
  mark "./$name" || blame failed '' .
  adopted
fi
exists "./$name" && say occupied

mark "$source" || blame failed '' .
if is_near; then
  settle "$source" "./$name" || { exists "./$name" && say occupied; blame failed '' .; }
  flush_names "$source"
  adopted
fi
erase "$work"
exists "$work" && say occupied
problem=$(copy 2>&1) || { erase "$work"; blame failed "$problem" .; }
before=$(content "$source") && [ "$(content "$work")" = "$before" ] || { erase "$work"; say changed; }
locate "$source"
former=$own_git
locate "$work"
printf '%s\n%s\n' "$before" "$former" >"$marks/copied" && flush_storage . || { erase "$work"; blame failed '' .; }
settle "$work" "./$name" || { erase "$work"; say occupied; }
adopted
