# prepare checkout
# Arguments: those of checkout.sh.
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
command -v git >/dev/null || say git-missing
work=./.fleet-preparation-$preparation
# Where the clean-up of this attempt was cut off.
quarantine=./.fleet-removal-$preparation

build() {
  mkdir -- "$work" "$work/.git" "$work/$receipts" || return 1
  printf '%s %s\n%s\n' "$preparation" "$(ident "$work")" "$(storage "$work")" >"$work/$receipts/preparation.$preparation" || return 1
  flush "$work/$receipts/preparation.$preparation"
  mv -f -- "$work/$receipts/preparation.$preparation" "$work/$receipts/preparation" && flush "$work/$receipts" || return 1
  (cd "$work" && tame && g init -q --template=) && proven "$work"
}

tries=0
until [ "$tries" -ge 3 ]; do
  tries=$((tries + 1))
  cd -P -- "$root" || say root-unusable
  exists "./$folder" || mkdir -- "./$folder"
  # The removal of the Project's last checkout takes the empty folder with it, which may be just now.
  exists "./$folder" || continue
  enter
  if exists "./$name"; then proven "./$name" && flush_storage . && say prepared; say occupied; fi
  if exists "$quarantine"; then erase "$quarantine" || say occupied; fi
  erase "$work" || { exists "$work" && say occupied; }
  build && break
  erase "$work"
  exists "$work" && blame failed '' .
done
proven "$work" || blame failed '' .
settle "$work" "./$name" && flush_storage . && say prepared
erase "$work"
say occupied
