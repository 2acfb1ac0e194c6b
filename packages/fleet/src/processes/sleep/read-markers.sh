# read the markers of Instances that sleep
# Arguments: root folder, folders of awake markers, of sleep and of access logs, ids of Instances.
awake=$1$2 sleep=$1$3 logs=$1$4
shift 4
now=$(date +%s)
age() {
  if [ -f "$1" ] && [ ! -L "$1" ]; then echo $((now - $(stat -c %Y -- "$1"))); else echo none; fi
}
for id in "$@"; do
  if [ -f "$sleep/$id.cold" ]; then cold=yes; else cold=no; fi
  if [ -f "$sleep/$id.halting" ]; then halting=yes; else halting=no; fi
  field "markers.$id" "$(age "$awake/$id.awake") $(age "$awake/$id.started") $(age "$logs/$id.log") \
$(age "$sleep/$id.slept") $cold $halting"
done
