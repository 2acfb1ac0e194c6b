import { programOf, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'

/** Whether a Process can run as the account: it exists, is not root, and has a home (PROC-042). */
export const checkAccount: NodeScript<string, void> = {
  source: programOf(textFile('account.sh', import.meta.url), START),
  args: (account) => [account],
  timeoutSeconds: 20,
  reasons: { unusable: 'process.user_unavailable' },
  broken: 'process.runtime_failed',
  read: confirmed('usable'),
}
