import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RunningGateway } from '@fleet/gateway'
import { ensureRepository } from '#/git/repository.ts'
import { type GitServer, startGitServer } from '#/git/server.ts'
import type { Home } from '#/home.ts'
import { openKept } from '#/kept-ports.ts'

const SOURCE = resolve(import.meta.dirname, '../../sample/shop')
const FIRST_GIT_PORT = 8480

export interface SampleGitOptions {
  readonly home: Home
  readonly gateway: RunningGateway
  readonly programs: Readonly<Record<string, string>>
  /** Whether to make the repository when it is missing. */
  readonly make: boolean
}

export interface SampleGit extends AsyncDisposable {
  readonly repositoryUrl: string
}

/** Serves the sample repository with a certificate of the fleet; undefined when there is none and none was asked for. */
export async function startSampleGit(options: SampleGitOptions): Promise<SampleGit | undefined> {
  const { home, gateway, programs, make } = options
  const repository = home.in('git', 'shop.git')
  if (!make && !existsSync(repository)) return undefined
  await ensureRepository(repository, SOURCE, programs)
  const leaf = await gateway.leaf(['localhost'], ['127.0.0.1'], home.in('git', 'tls'))
  const { opened: server } = await openKept<GitServer>(home.in('ports.json'), 'git', FIRST_GIT_PORT, (port) =>
    startGitServer({ port, repositories: home.in('git'), programs, ...leaf }),
  )
  return {
    repositoryUrl: `${server.url}/shop.git`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
