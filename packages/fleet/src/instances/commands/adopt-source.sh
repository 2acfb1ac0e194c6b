# adopt source
# Arguments: after those of checkout.sh, the directory to adopt, the line to exclude.
source=$1 exclude=$2
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
command -v git >/dev/null || say git-missing
exists "./$folder" || mkdir -- "./$folder"
enter
here=$(pwd -P)

is_source() { [ -d "$1/.git" ] && [ ! -L "$1/.git" ] && [ "$(cd -P -- "$1" && pwd -P)" = "$1" ]; }

# The fleet's own files are nobody's work.
ignore() {
  if [ -n "$(tail -c 1 .git/info/exclude)" ]; then echo >>.git/info/exclude || return 1; fi
  printf '%s\n' "$exclude" | while IFS= read -r line; do
    grep -qxF -- "$line" .git/info/exclude || printf '%s\n' "$line" >>.git/info/exclude || return 1
  done
}

adopted() {
  claim "./$name"
  repair "./$name" || blame failed '' .
  cd "./$name" || say foreign
  tame
  [ ! -L .git/info ] && mkdir -p .git/info && [ ! -L .git/info/exclude ] || blame failed '' "$receipts"
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
printf '%s\n' "$before" >"$work/$receipts/copied" && flush_storage . || { erase "$work"; blame failed '' .; }
settle "$work" "./$name" || { erase "$work"; say occupied; }
adopted
