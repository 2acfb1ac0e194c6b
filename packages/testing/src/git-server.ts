import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { run, withPayload } from '@fleet/shell'
import { runBeside } from './command-runner/run-beside.ts'

export interface GitServer extends AsyncDisposable {
  /** `https://ADDRESS:PORT/app.git` */
  urlOf(name: string): string
  /** The repository's own folder, for git commands that change it. */
  pathOf(name: string): string
  /** What a Node's environment needs to trust the server. */
  readonly caFile: string
  /** Commits the files on a branch, made from `main` when new. Answers the commit. */
  commit(name: string, branch: string, files: Readonly<Record<string, string | null>>): string
  /** Another repository, without a commit; the hash of its objects is that of Git's own default when absent. */
  add(name: string, objectFormat?: 'sha1' | 'sha256'): void
  /** The only `Authorization` that it accepts; anybody's when undefined. */
  authorization: string | undefined
  /** While true every request is answered with 503. */
  down: boolean
}

/** Answers a request that is not for Git; false for any other. */
export type Beside = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

/** Serves bare Git repositories over HTTPS with `git http-backend`, on loopback unless another own address is given. */
export async function startGitServer(
  repositories: readonly string[],
  address = '127.0.0.1',
  beside: Beside = async () => false,
): Promise<GitServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-git-'))
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Test Git' })
  const leaf = await issueLeaf(root, { clock: systemClock, names: [], addresses: [address] })
  for (const name of repositories) makeRepository(folder, name)
  const state = { down: false, authorization: undefined as string | undefined } // A test sets it.
  const server = createServer({ cert: leaf.certificate, key: leaf.key.reveal() }, (request, response) => {
    const isKnown = state.authorization === undefined || request.headers.authorization === state.authorization
    if (state.down) response.writeHead(503).end()
    else if (!isKnown) response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
    else
      void beside(request, response).then((isDone) =>
        isDone ? undefined : serveGit(folder, request, response),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  const { port } = server.address() as AddressInfo // A listening TCP server has an address object.
  return {
    urlOf: (name) => `https://${address}:${port}/${name}.git`,
    pathOf: (name) => join(folder, `${name}.git`),
    caFile: join(folder, 'ca', 'root.crt'),
    commit: (name, branch, files) => commitTo(join(folder, `${name}.git`), branch, files),
    add: (name, objectFormat = 'sha1') => initialize(join(folder, `${name}.git`), objectFormat),
    get authorization() {
      return state.authorization
    },
    set authorization(value) {
      state.authorization = value
    },
    get down() {
      return state.down
    },
    set down(value) {
      state.down = value
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const PERSON = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
const PATH = { PATH: '/usr/local/bin:/usr/bin:/bin' }

/** Runs git in a folder with a person's name and without the machine's own configuration. Answers what it printed. */
export const git = (cwd: string, words: readonly string[], input = ''): string =>
  execFileSync('git', [...PERSON, ...words], {
    cwd,
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
    encoding: 'utf8',
    env: { ...PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: cwd },
  }).trim()

const makeRepository = (folder: string, name: string): void => {
  const bare = join(folder, `${name}.git`)
  initialize(bare, 'sha1')
  commitTo(bare, 'main', { 'README.md': `# ${name}\n` })
}

const initialize = (bare: string, objectFormat: string): void => {
  mkdirSync(bare, { recursive: true })
  git(bare, ['init', '-q', '--bare', '-b', 'main', `--object-format=${objectFormat}`])
}

// One process for a commit: a clone, a commit and a push would cost each test ten.
const commitTo = (bare: string, branch: string, files: Readonly<Record<string, string | null>>): string => {
  const parent = ['main', branch].findLast((name) => existsSync(join(bare, 'refs/heads', name)))
  const lines = [
    `commit refs/heads/${branch}`,
    'mark :1',
    'committer Test <test@example.com> 1767322800 +0000',
    'data 6',
    'Change',
    ...(parent ? [`from refs/heads/${parent}^0`] : []),
    ...Object.entries(files).map(([path, content]) =>
      content === null ? `D ${path}` : fileLines(path, content),
    ),
    '',
    'get-mark :1',
    '',
  ]
  return git(bare, ['fast-import', '--quiet', '--force'], lines.join('\n'))
}

const fileLines = (path: string, content: string): string =>
  `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}`

/** One CGI request (RFC 3875) to git http-backend. */
const serveGit = async (
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const url = new URL(request.url ?? '/', 'https://127.0.0.1')
  const env = {
    ...PATH,
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
  }
  try {
    const asked = withPayload(run('git', 'http-backend'), Buffer.concat(await request.toArray()))
    const { stdout } = await runBeside(asked, { cwd: folder, env, ...LIMITS })
    answerCgi(stdout, response)
  } catch {
    // Whoever asked has gone, or the repository with its test.
    response.destroy()
  }
}

const LIMITS = { timeoutMilliseconds: 60_000, maxOutputBytes: 256 * 1024 * 1024 }

const answerCgi = (output: Buffer, response: ServerResponse): void => {
  const end = output.indexOf('\r\n\r\n')
  const headers = output
    .subarray(0, Math.max(end, 0))
    .toString('latin1')
    .split('\r\n')
    .map((line) => line.split(/: (.*)/s))
  const status = headers.find(([name]) => name?.toLowerCase() === 'status')?.[1] ?? '200'
  for (const [name, value] of headers) {
    if (name && value !== undefined && name.toLowerCase() !== 'status') response.setHeader(name, value)
  }
  response.writeHead(Number.parseInt(status, 10)).end(output.subarray(end + 4))
}
