import { isDeepStrictEqual } from 'node:util'
import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import {
  type AccessOutcome,
  type AccessRefusal,
  type AccessTarget,
  applyAccess,
} from '#/source-access/commands/apply-access.ts'
import type { SourceAccessDeps } from '#/source-access/deps.ts'
import { warningsOf, webRootsIn } from '#/source-access/rules.ts'
import type { AccessApplied, SourceAccess } from '#/source-access/source-access.ts'
import { ensurePackages } from '#/tools/api.ts'

export type { SourceAccessDeps } from '#/source-access/deps.ts'

/** Account that the web server of Debian runs as. */
const CADDY = 'caddy'
const STEP = 'source-access'

export const makeSourceAccess = (deps: SourceAccessDeps): SourceAccess => ({
  apply: async (session, checkoutPath) => {
    const webRoots = async () => webRootsIn(await deps.served.servedOn(session.node), checkoutPath)
    const { user_home: home } = session.node
    for (let wanted = await webRoots(); ;) {
      const target = { account: deps.webServerAccount ?? CADDY, home, checkoutPath, webRoots: wanted }
      const outcome = await ask(deps, session, target)
      const now = await webRoots()
      // Whoever changes what is served does that before it asks for access: the script that ends last has the newest records.
      if (isDeepStrictEqual(now, wanted)) return applied(session, outcome, 'app-dev.source_access_failed')
      wanted = now
    }
  },
  check: async (session, { checkoutPath, webRoot }) => {
    const target = {
      // Without an account nothing is granted, and nothing has to be installed for it.
      account: '',
      home: session.node.user_home,
      checkoutPath,
      webRoots: webRootsIn([{ checkoutPath, webRoots: [webRoot] }], checkoutPath),
    }
    applied(session, await session.ask(applyAccess, target), 'app-dev.source_access_failed')
  },
  open: async (session, { checkoutPath, webRoots, home }) => {
    const target = {
      account: deps.webServerAccount ?? CADDY,
      home,
      checkoutPath,
      webRoots: webRootsIn([{ checkoutPath, webRoots }], checkoutPath),
    }
    return applied(session, await ask(deps, session, target), 'app-prod.web_root_invalid')
  },
})

/** The tools are installed where they are missing. */
async function ask(
  deps: SourceAccessDeps,
  session: NodeSession,
  target: AccessTarget,
): Promise<AccessOutcome> {
  const outcome = await session.ask(applyAccess, target)
  if (!('refused' in outcome) || outcome.refused !== 'acl_missing') return outcome
  await ensurePackages(deps, session, ['acl'])
  return session.ask(applyAccess, target)
}

function applied({ node }: NodeSession, outcome: AccessOutcome, invalidRoot: ErrorCode): AccessApplied {
  if (!('refused' in outcome)) return { warnings: warningsOf(outcome.unreadable, outcome.count) }
  const { refused: reason, path } = outcome
  throw fail(OF_THE_ROOT.has(reason) ? invalidRoot : 'app-dev.source_access_failed', {
    // Clients offer a command between backticks of a message as the next step, and the path is somebody's name for a file.
    message: MESSAGES[reason](path?.replaceAll('`', '?') ?? 'An entry of it'),
    details: { node: identityOf(node), step: STEP, reason, ...(path === undefined ? {} : { path }) },
  })
}

const GONE: ReadonlySet<unknown> = new Set<AccessRefusal>(['checkout_missing', 'web_root_missing'])

/** Whether what is to be served is not on the Node any more. */
export const isSourceGone = (error: unknown): boolean =>
  error instanceof CodedError && error.details?.['step'] === STEP && GONE.has(error.details['reason'])

/** The source has to change. */
const OF_THE_ROOT: ReadonlySet<AccessRefusal> = new Set(['link', 'web_root_missing'])

const RESTORED = 'The permissions are as they were.'

/** With the entry that they are about: the result of a deployment has no details. */
const MESSAGES: Readonly<Record<AccessRefusal, (path: string) => string>> = {
  account_missing: () =>
    'The Node has no account of a web server. Converge its role `app-dev`, then run the same command again.',
  acl_missing: () =>
    'The Node has no `setfacl`. Install the package `acl` on it, then run the same command again.',
  checkout_missing: () => 'The checkout is not on the Node. Restore it, or destroy the Instance.',
  closed_above: (path) =>
    `The web server cannot pass the folder ${path}, which does not belong to the managed user. ${RESTORED} Let it pass and nothing more, as root on the Node: \`setfacl -m u:caddy:--x FOLDER\`. Then run the same command again.`,
  failed: () =>
    `The permissions of the checkout could not be changed. ${RESTORED} Its file system must support access control lists.`,
  foreign_owner: (path) =>
    `${path} does not belong to the managed user, so its permissions cannot be changed. ${RESTORED} Give it to the user with \`chown\`, then run the same command again.`,
  link: (path) =>
    `${path} is a symbolic link, and the web server could follow it out of the web root. ${RESTORED} Remove it from the repository, or the step that creates it, then run the same command again. Only the link \`public/storage\` to \`storage/app/public\` is served.`,
  not_restored: (path) =>
    `The permissions of the checkout could not be changed, and not all of them could be restored. ${path} on the Node has those from before: \`setfacl --restore=FILE\` restores them.`,
  not_saved: () =>
    `The permissions of the checkout could not be saved before the change. ${RESTORED} The disk of the Node may be full: make room in its folder of temporary files, then run the same command again.`,
  web_root_missing: (path) =>
    `The web root ${path} is not a directory of the checkout. Create it, then run the same command again.`,
}
