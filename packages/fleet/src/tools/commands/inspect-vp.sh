# inspect Vite+
field version "$(vp --version)"
