# scan Vite+
list=$(vp list -g --json) || refuse unreadable
field list "$list"
