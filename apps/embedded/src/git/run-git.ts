import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A Git command of this process failed. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed'
}

// Without the configuration of the person or the system: their signing, hooks and templates are none of this repository.
const OWN_CONFIGURATION = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
} as const

/** Environment of a Git that reads no configuration but that of its repository. */
export const ownGitEnvironment = (programs: Readonly<Record<string, string>>): Record<string, string> => ({
  ...programs,
  ...OWN_CONFIGURATION,
})

/** Runs Git in a folder and waits for its end. Throws GitFailed with what it said. */
export async function runGit(
  folder: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const git = spawn('git', words, { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: Buffer[] = []
  git.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  await once(git, 'close')
  if (git.exitCode !== 0)
    throw new GitFailed(`git ${words[0] ?? ''} failed: ${Buffer.concat(said).toString('utf8').trim()}`)
}
