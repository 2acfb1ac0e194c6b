import type { ErrorCode } from '@fleet/contract'
import type { Details, Secret } from '@fleet/kernel'
import type { Answer } from '@fleet/shell'

/**
 * A service on a Node as it is to be. The primitive inspects, decides, writes, starts, verifies and removes it; a domain says
 * only what is in here. Paths are absolute and hold no tab or newline.
 */
export interface ManagedService extends ServicePlaces {
  /** What is to be on the Node, from what was found there. May throw what refuses the Node. */
  render(found: RenderFacts): RenderedService
}

/** Everything but its contents: enough to inspect it, to stop it and to remove it. */
export interface ServicePlaces {
  /** In logs: `agent`, `private-dns`. */
  readonly name: string
  /** System user that is made for it and goes with it. */
  readonly account?: string
  /** In the order in which they are created. */
  readonly folders?: readonly ServiceFolder[]
  readonly files?: readonly ServiceFile[]
  /** Symbolic links that are switched to what `render` says, such as the live version of a configuration. */
  readonly links?: readonly ServiceLink[]
  /** In the order in which they start; of Fleet's own and of others. */
  readonly units: readonly ServiceUnit[]
  readonly release?: ServiceRelease
  /** Values inside its files that must not get out by its journal. */
  readonly secrets?: readonly Secret[]
  /** Its units run commands of somebody, who reads elsewhere what they print: no failure shows lines of it. */
  readonly printsForOthers?: true
  /** The Node runs it by the fleet's own executable, which is put in place first. */
  readonly usesExecutable?: true
  /**
   * On the Node, for as long as it is changed. A private one has to be a file of root's with mode 600 in a folder of root's with mode
   * 700, or nothing is written (RTX-091).
   */
  readonly lock?: { readonly path: string; readonly seconds: number; readonly isPrivate?: true }
  /** Scripts of the service's own, run with the functions of `commands/`; `$1` is the argument, `$root` leads each path. */
  readonly hooks?: Readonly<Partial<Record<HookMoment, ServiceHook>>>
  readonly ready: Readiness
  /** Units, files and own folders alone when absent. */
  readonly removal?: Removal
  /** How a reason is reported: its code, and details besides Node, unit, state and journal, which is empty where others print it. */
  failure(
    reason: FailureReason,
    reported?: HookReport,
  ): {
    readonly code: ErrorCode
    readonly details?: Details | undefined
  }
}

/** What a hook that failed answered in the fields `stage` and `message`. */
export interface HookReport {
  readonly stage: string
  /** Masked, without control characters but line ends. */
  readonly message: string
}

/**
 * `admit` is true where what has the names of the service is the service's own, or nothing has them: it is asked before
 * anything is written or removed; `facts` answers further fields while the Node is inspected; `check` tries the candidates before anything is switched (`$2`:
 * folder of the new release); `prepare` runs before the units start (`$2`: `changed` when files
 * did, else `same`); `probe` is true once the service answers; `reload` loads the files where systemd cannot, because an earlier
 * reload of the unit has had no end.
 */
export type HookMoment = 'admit' | 'facts' | 'check' | 'prepare' | 'probe' | 'reload'

export interface ServiceHook {
  readonly source: string
  readonly argument?: string
}

export interface ServiceFolder {
  readonly path: string
  readonly mode: string
  /** The account whose group it gets; root's when absent. */
  readonly group?: string
  /** `own` goes with the service; `shared` is made where it is missing and goes when it is empty; `kept` outlives it. */
  readonly keeping: 'own' | 'shared' | 'kept'
}

export interface ServiceFile {
  readonly path: string
  readonly mode: string
  /** Accounts; root when absent. */
  readonly owner?: string
  readonly group?: string
  readonly backup?: Backup
}

export interface ServiceLink {
  readonly path: string
  readonly backup?: Backup
}

/** Where a file that does not begin with the marker is copied before it is replaced, in a folder named after the time. */
export interface Backup {
  readonly folder: string
  readonly marker: string
}

export interface ServiceUnit {
  readonly name: string
  /** `foreign`: its file is somebody else's, such as `caddy.service`; it is never stopped with the service. */
  readonly file: 'own' | 'foreign'
  readonly isEnabled: boolean
  /**
   * What another file means for it: `restart`, `reload` (never a restart while it runs), `none` (what a timer or a socket
   * starts), or `own-file`: a restart when its own unit file changed alone.
   */
  readonly onChange: 'restart' | 'reload' | 'own-file' | 'none'
  /** Paths of the files and links that it reads: a change of others is none for it. All of the service when absent. */
  readonly reads?: readonly string[]
}

/** Folders of files that are complete before anything names them; with `keep` earlier ones to go back to. */
export interface ServiceRelease {
  readonly folder: string
  readonly keep: number
}

/**
 * `reported`: the unit's process wrote its id and the digest with which it began into a file. `active`: every unit that is
 * started runs, and still does after half a second. Either holds within the seconds, with the hook `probe`.
 */
export type Readiness =
  | { readonly kind: 'reported'; readonly unit: string; readonly file: string; readonly seconds: number }
  | { readonly kind: 'active'; readonly seconds: number }

export interface Removal {
  /** What goes besides files, units and own folders. */
  readonly paths: readonly string[]
  /** The executable goes too once no unit runs it. */
  readonly takesExecutable?: boolean
}

export interface RenderFacts {
  /** SHA-256 of the executable that the Node is to run; empty for a service without it. */
  readonly program: string
  /** What the hook `facts` answered. */
  readonly facts: Answer
}

export interface RenderedService {
  /** By path: all files of the declaration. */
  readonly files?: Readonly<Record<string, FileContent>>
  /** By name: all units of Fleet's own. */
  readonly units: Readonly<Record<string, string>>
  /** By path. */
  readonly links?: Readonly<Record<string, string>>
  readonly release?: RenderedRelease
  /** Something else that it reads is new, as its facts say: it loads everything again. */
  readonly isStale?: boolean
  /** With which a `reported` process begins. */
  readonly digest?: string
}

export interface RenderedRelease {
  /** Name of its folder. */
  readonly id: string
  readonly files: Readonly<Record<string, string>>
  /** A copy of the executable under a name in it. */
  readonly program?: { readonly name: string; readonly sha256: string }
}

export type FileContent = string | Secret | GeneratedSecret

/** A secret of which only a digest is known here: another one is made unless the Node has that one. */
export interface GeneratedSecret {
  readonly knownSha256: string | undefined
  create(): Secret
}

export const failureReasons = [
  'account_failed',
  'busy',
  'not_admitted',
  'check_failed',
  'folder_unsafe',
  'lock_unsafe',
  'not_confirmed',
  'not_ready',
  'prepare_failed',
  'script_failed',
  'start_failed',
  'stop_failed',
  'switch_failed',
  'write_failed',
] as const
export type FailureReason = (typeof failureReasons)[number]

/** A code for some of the reasons, and one for all others. */
export const failureCodes =
  (codes: Readonly<Partial<Record<FailureReason, ErrorCode>>>, otherwise: ErrorCode) =>
  (reason: FailureReason): { readonly code: ErrorCode } => ({ code: codes[reason] ?? otherwise })
