# inspect Composer
field version "$(composer --version)"
