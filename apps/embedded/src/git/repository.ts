import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownGitEnvironment, runGit } from './run-git.ts'

const AUTHOR = { name: 'Fleet', email: 'fleet@example.test' } as const
/** Fixed, so that every fleet has the same commits. */
const FIRST_DAY = '2026-01-05T09:00:00Z'
const SECOND_DAY = '2026-01-06T09:00:00Z'

interface Work {
  git(...words: readonly string[]): Promise<void>
  commit(message: string, date: string): Promise<void>
}

/**
 * A bare repository at `path` with the files of `source`: two commits on `main`, the branch `next` and the tag `v1.0.0`.
 * An existing one stays as it is. Throws GitFailed.
 */
export async function ensureRepository(
  path: string,
  source: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  if (existsSync(path)) return
  // Beside its place, so that the rename at the end stays on one file system.
  const folder = mkdtempSync(join(dirname(path), 'making-'))
  try {
    const bare = join(folder, 'bare.git')
    await commitAll(join(folder, 'work'), source, programs)
    await runGit(
      folder,
      ['clone', '--quiet', '--bare', '--no-local', 'work', bare],
      ownGitEnvironment(programs),
    )
    renameSync(bare, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function commitAll(
  folder: string,
  source: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  cpSync(source, folder, { recursive: true })
  const { git, commit } = workIn(folder, programs)
  await git('init', '--quiet', '--initial-branch=main', '--template=')
  await git('add', 'README.md', 'package.json', '.gitignore')
  await commit('Say what the shop is', FIRST_DAY)
  await git('tag', 'v1.0.0')
  await git('add', '--all')
  await commit('Serve the shop and take its settings from the environment', SECOND_DAY)
  await git('checkout', '--quiet', '-b', 'next')
  await git('mv', 'server.js', 'shop.js')
  await commit('Call the program what it is', SECOND_DAY)
  await git('checkout', '--quiet', 'main')
}

function workIn(folder: string, programs: Readonly<Record<string, string>>): Work {
  const environment = ownGitEnvironment(programs)
  const identity = {
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
  }
  return {
    git: (...words) => runGit(folder, words, environment),
    commit: (message, date) =>
      runGit(folder, ['commit', '--quiet', '--message', message], {
        ...environment,
        ...identity,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      }),
  }
}
