# provision Vite+
# Arguments: root folder, managed user, version, architecture as uname says it, its archive, SHA-512 of that in hex. A store
# that is there already stays as it is.
target=$1/opt/orbit/vite-plus
new=$target.fleet-new
if [ -e "$target" ] || [ -L "$target" ]; then field provisioned yes; exit 0; fi
[ "$(uname -m)" = "$4" ] || refuse architecture
if ! command -v curl >/dev/null || [ ! -e /etc/ssl/certs/ca-certificates.crt ]; then
  lock_seconds=300
  finish_interrupted
  update || why
  apt --no-install-recommends --no-remove --fix-broken install -- curl ca-certificates || why
fi
remove_tree "$new" && make_folder "$new/$3/bin" && make_folder "$new/bin" || refuse failed
archive=$new/archive.tgz
# Unflushed "$archive": it is gone before the store gets its name.
curl -fsSL --proto '=https' --max-time 300 -o "$archive" "$5" || refuse fetch
[ "$(sha512sum <"$archive" | cut -d ' ' -f 1)" = "$6" ] || refuse digest
tar -xzf "$archive" -C "$new/$3/bin" --strip-components=1 package/vp && rm -f "$archive" || refuse failed
# Unflushed "$new/current", "$new/bin/vp": the whole disk is flushed before the store gets its name.
{ ln -s "$3" "$new/current" && ln -s ../current/bin/vp "$new/bin/vp"; } || refuse failed
{ chmod -R u=rwX,go=rX "$new" && chmod 755 "$new/$3/bin/vp" "$1/opt/orbit" && chown -R "$2:" "$new" && sync; } || refuse failed
move "$new" "$target" || refuse failed
field provisioned yes
