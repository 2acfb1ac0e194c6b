# inspect Homebrew
field version "$(brew --version)"
