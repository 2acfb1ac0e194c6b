/** Repairs what carries a Node and applies all of its footprint, also what this release has not changed. */
export const CONVERGE = 'node:converge {node} --force'
