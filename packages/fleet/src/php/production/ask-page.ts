import { programOf, START, textFile } from '@fleet/shell'
import { Secret } from '@fleet/kernel'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'

/** A page that a pool makes from files that need not be served yet. */
export interface PageRequest {
  /** `8.2` */
  readonly version: string
  /** Absolute. */
  readonly socket: string
  /** Absolute path of the web root. */
  readonly webRoot: string
  /** With its query: `/up?full=1`. */
  readonly path: string
  readonly domain: string
}

const FAILURES = ['missing', 'unavailable', 'silent', 'broken'] as const

export type PageAnswer =
  | { readonly outcome: 'answered'; readonly status: number; readonly body: Buffer }
  /**
   * `missing`: no script; `unavailable`: nobody listens on the socket; `silent`: no answer in time; `broken`: the worker ended
   * without one.
   */
  | { readonly outcome: (typeof FAILURES)[number] }

/** Time of a page, and what is kept of its body. */
export const PAGE_SECONDS = 15
const BODY_MAX_BYTES = 512

const CLIENT = new Secret(textFile('ask-page.php', import.meta.url))

interface TimedPageRequest extends PageRequest {
  readonly root: string
  readonly seconds: number
}

const getPage: NodeScript<TimedPageRequest, PageAnswer> = {
  source: programOf(textFile('ask-page.sh', import.meta.url), START),
  args: ({ root, version, socket, webRoot, path, domain, seconds }) => [
    root,
    version,
    socket,
    webRoot,
    path,
    domain,
    seconds,
    BODY_MAX_BYTES,
  ],
  stdin: () => CLIENT,
  timeoutSeconds: PAGE_SECONDS + 15,
  reasons: { broken: 'app-prod.php_cache_socket_unavailable' },
  broken: 'app-prod.php_cache_socket_unavailable',
  read: (answer) => {
    answer.word('end', ['yes'])
    const outcome = answer.word('outcome', ['answered', ...FAILURES])
    if (outcome !== 'answered') return { outcome }
    return {
      outcome,
      status: Number(answer.text('status')),
      body: Buffer.from(answer.text('body'), 'base64'),
    }
  },
}

/** Asks the pool itself, as the user of the session, who must be let in by its socket. What the page says is no error here. */
export const askPage = (
  session: NodeSession,
  request: PageRequest,
  root: string,
  seconds: number = PAGE_SECONDS,
): Promise<PageAnswer> => session.ask(getPage, { ...request, root, seconds })
