/** What Tools need from roles and the lifecycle of Nodes, which are above them. */
export interface NeededPackages {
  /** Every apt package that the bootstrap of a Node or of a role installs, read when it is asked for (TOOL-050). */
  names(): readonly string[]
}
