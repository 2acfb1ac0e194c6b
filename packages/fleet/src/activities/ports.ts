import type { ActivityNotice } from '@fleet/contract'

/** Publisher of Activities: the gateway's feed. */
export interface ActivityPublisher {
  /** Whether anybody listens: only then is it worth knowing the id of a finished read. */
  isListening(): Promise<boolean>
  /** Resolves when it is published or given up; never rejects. */
  report(type: 'activity.created' | 'activity.updated', notice: ActivityNotice): Promise<void>
}
