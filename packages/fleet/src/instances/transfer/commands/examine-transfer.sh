# examine transfer
# Arguments: those of checkout.sh. What cannot travel alone is refused: worktrees elsewhere, and objects of another repository.
enter
proven "./$name" || say foreign
claim "./$name"
for entry in "./$name/.git/worktrees/"*; do exists "$entry" && say has-worktrees; done
exists "./$name/.git/objects/info/alternates" && say has-alternates
say movable
