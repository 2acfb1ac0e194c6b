import type { AgentState } from '#/agents/commands/answers.ts'
import { type AgentFiles, sha256 } from '#/agents/files.ts'

export interface AgentDecision {
  /** The Node has no secret, or not the one whose hash is stored (AGT-014). */
  readonly newSecret: boolean
  /** Configuration, certificate, secret, executable or unit changed, or it does not run as it should (AGT-021). */
  readonly restart: boolean
  /** Something has to be written or started. */
  readonly apply: boolean
}

export function decide(
  found: AgentState,
  wanted: AgentFiles,
  stored: { readonly secretHash: string | undefined; readonly force: boolean },
): AgentDecision {
  const newSecret = found.secret === undefined || found.secret !== stored.secretHash
  const restart = newSecret || found.running !== wanted.digest
  const written =
    found.config === sha256(wanted.config) &&
    found.certificate === sha256(wanted.certificate) &&
    found.unit === sha256(wanted.unit)
  return { newSecret, restart, apply: stored.force || restart || !written || !found.enabled }
}
