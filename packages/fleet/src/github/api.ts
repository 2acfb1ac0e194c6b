export { type GitHubDomain, makeGitHub } from './make.ts'
export { GITHUB, type GitHubServer } from './ports.ts'
export type { RepositoryToken, RepositoryTokens } from './repository-tokens.ts'
