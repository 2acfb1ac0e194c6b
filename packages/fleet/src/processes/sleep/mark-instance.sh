# write what an Instance has come to
# Arguments: root folder, folders of awake markers, of sleep and of access logs, id of the Instance, what it has come to.
awake=$1$2 sleep=$1$3 logs=$1$4 id=$5 as=$6
# Everybody may make a folder beside ours in this file system of the memory.
directory 755 "${awake%/*}" && directory 755 "$awake" && directory 755 "$sleep" || refuse unsafe
# seconds PATH: when it was last written.
seconds() { if [ -f "$1" ] && [ ! -L "$1" ]; then stat -c %Y -- "$1"; else echo 0; fi; }
# The time of the last use: it outlives the marker that has it, also where a halt is tried once more.
used=0
for record in "$awake/$id.awake" "$awake/$id.started" "$logs/$id.log" "$sleep/$id.halting"; do
  at=$(seconds "$record")
  [ "$at" -le "$used" ] || used=$at
done
case $as in
  awake)
    remove "$sleep/$id.cold" && remove "$sleep/$id.halting" && remove "$sleep/$id.slept" || refuse unsafe
    put 644 "$awake/$id.awake" </dev/null && remove "$awake/$id.started" || refuse unsafe ;;
  started|started-one)
    remove "$sleep/$id.halting" && remove "$sleep/$id.slept" || refuse unsafe
    # Where others may sleep still, or the dependencies are gone, it is not awake before it was woken.
    if [ -f "$awake/$id.awake" ] || { [ "$as" = started ] && [ ! -f "$sleep/$id.cold" ]; }; then
      put 644 "$awake/$id.awake" </dev/null || refuse unsafe
    else
      put 644 "$awake/$id.started" </dev/null || refuse unsafe
    fi ;;
  halting)
    put 644 "$sleep/$id.halting" </dev/null || refuse unsafe
    [ "$used" = 0 ] || touch -d "@$used" -- "$sleep/$id.halting" || refuse unsafe
    remove "$awake/$id.awake" && remove "$awake/$id.started" || refuse unsafe ;;
  asleep)
    # Whoever started one of its Processes meanwhile has taken the marker away.
    [ ! -f "$sleep/$id.halting" ] || move "$sleep/$id.halting" "$sleep/$id.slept" || refuse unsafe ;;
  cold)
    put 644 "$sleep/$id.cold" </dev/null || refuse unsafe ;;
  kept)
    [ ! -f "$sleep/$id.slept" ] || touch -- "$sleep/$id.slept" || refuse unsafe ;;
  forgotten)
    remove "$sleep/$id.cold" && remove "$sleep/$id.halting" && remove "$sleep/$id.slept" || refuse unsafe
    remove "$awake/$id.awake" && remove "$awake/$id.started" && remove "$logs/$id.log" || refuse unsafe ;;
esac
if [ -f "$awake/$id.awake" ]; then field awake yes; else field awake no; fi
