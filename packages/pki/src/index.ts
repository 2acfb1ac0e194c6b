export { flushFolder, makeFile, placeFile, placeLink, replaceFile } from './atomic-file.ts'
export { judgeLeaf, type LeafJudgement, type LeafVerdict } from './judge.ts'
export { issueLeaf, type IssueLeafOptions, type Leaf, type LeafNames } from './leaf.ts'
export {
  ensureRoot,
  type EnsureRootOptions,
  readRoot,
  readRootCertificate,
  renewRoot,
  requireCurrent,
  type Root,
  type RootCertificate,
  RootUnavailable,
} from './root.ts'
export { ensureLeaf, type EnsureLeafOptions } from './stored-leaf.ts'
