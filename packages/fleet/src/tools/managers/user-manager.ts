import type { ToolManagerName } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Answer } from '@fleet/shell'
import { MalformedOutput } from '@fleet/shell'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'
import type { Manager, PackageState, RemovalPlan } from '#/tools/managers/manager.ts'
import { type Failed, scopeReasons } from '#/tools/managers/reasons.ts'

export interface UserManager {
  readonly name: ToolManagerName
  /** As messages call it. */
  readonly label: string
  /** Root folder, the first argument of each of its scripts. */
  readonly root: string
  sourceOf(script: 'inspect' | 'read' | 'install' | 'update' | 'remove'): string
  version(printed: string): string | undefined
  state(answer: Answer, name: string): PackageState
  provision?(session: NodeSession): Promise<void>
  /** What a removal would do, asked first where the manager itself would begin it before it finds a dependent. */
  readonly removal?: {
    readonly source: string
    /** What somebody runs on the Node to see why there is no plan. */
    readonly command: string
    neededBy(answer: Answer, name: string): readonly string[]
  }
  /** One of several places is used, so that a second one would hide what the machine has: only what is missing is provisioned. */
  readonly isOneOfSeveral?: true
}

/** A manager whose scripts run as the managed user; the package is always their second argument (TLX-020). */
export function userManager(given: UserManager): Manager {
  const { name, provision, removal, isOneOfSeveral } = given
  const inspect = inspectScript(given)
  const read = readScript(given)
  const change = (verb: 'install' | 'update' | 'remove') => changeScript(given, verb)
  const plan = removal && planScript(given, removal)
  const [install, update, remove] = [change('install'), change('update'), change('remove')]
  return {
    name,
    inspect: (session) => session.ask(inspect, undefined),
    ...(provision && {
      provision: async (session: NodeSession) => {
        const present = isOneOfSeveral && (await unlessAbsent(session.ask(inspect, undefined)))
        if (present !== undefined) return present
        await provision(session)
        return session.ask(inspect, undefined, { broken: 'tool.manager_provision_failed' })
      },
    }),
    read: (session, wanted, { isFresh = false } = {}) => session.ask(read, { wanted, isFresh }),
    install: (session, wanted) => session.ask(install, wanted),
    update: (session, wanted) => session.ask(update, wanted),
    remove: (session, wanted) => session.ask(remove, wanted),
    ...(plan && {
      planRemoval: (session: NodeSession, wanted: string) => session.ask(plan, wanted),
    }),
  }
}

/** The version; undefined where there is no manager. Throws what else keeps it from being used. */
const unlessAbsent = (version: Promise<string>): Promise<string | undefined> =>
  version.catch((error: unknown) => {
    if (error instanceof CodedError && error.details?.['reason'] === 'absent') return undefined
    throw error
  })

const inspectScript = ({ sourceOf, root, label, version }: UserManager): NodeScript<void, string> => ({
  source: sourceOf('inspect'),
  as: 'login',
  args: () => [root],
  isLong: true,
  // Vite+ downloads what it runs on when it starts for the first time.
  timeoutSeconds: 300,
  reasons: scopeReasons(label),
  broken: 'tool.manager_unavailable',
  read: (answer) => {
    const found = version(answer.text('version'))
    if (found === undefined) throw new MalformedOutput('no version')
    return found
  },
})

interface Question {
  readonly wanted: string
  readonly isFresh: boolean
}

const readScript = ({ sourceOf, root, label, state }: UserManager): NodeScript<Question, PackageState> => ({
  source: sourceOf('read'),
  as: 'login',
  args: ({ wanted, isFresh }) => [root, wanted, isFresh ? 'yes' : 'no'],
  isLong: true,
  timeoutSeconds: 180,
  maxOutputBytes: 8 * 1024 * 1024,
  reasons: scopeReasons(label),
  broken: 'tool.version_probe_failed',
  read: (answer, { wanted }) => state(answer, wanted),
})

const CHANGES = {
  install: { field: 'installed', code: 'tool.install_failed' },
  update: { field: 'installed', code: 'tool.update_failed' },
  remove: { field: 'removed', code: 'tool.remove_failed' },
} as const satisfies Record<string, { readonly field: string; readonly code: Failed }>

function changeScript(
  { sourceOf, root, label }: UserManager,
  verb: keyof typeof CHANGES,
): NodeScript<string, void> {
  const { field, code } = CHANGES[verb]
  return {
    source: sourceOf(verb),
    as: 'login',
    args: (wanted) => [root, wanted],
    isLong: true,
    reasons: {
      ...scopeReasons(label),
      failed: [code, `${label} reported a failure and did not finish.`],
    },
    broken: code,
    read: (answer) => void answer.word(field, ['yes']),
  }
}

const planScript = (
  { root, label }: UserManager,
  { source, command, neededBy }: NonNullable<UserManager['removal']>,
): NodeScript<string, RemovalPlan> => ({
  source,
  as: 'login',
  args: (wanted) => [root, wanted],
  isLong: true,
  timeoutSeconds: 180,
  reasons: {
    ...scopeReasons(label),
    unplanned: [
      'tool.remove_failed',
      `${label} cannot say what a removal would do, so nothing was removed. Run \`${command}\` for the package on the Node to see why.`,
    ],
  },
  broken: 'tool.remove_failed',
  read: (answer, wanted) => ({ removed: [], installed: [], neededBy: neededBy(answer, wanted) }),
})
