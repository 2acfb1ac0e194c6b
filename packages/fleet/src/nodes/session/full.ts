import type { Details } from '@fleet/kernel'
import type { Answer } from '@fleet/shell'

/** A script asks for seven folders. */
const MOST = 7

/** Mount points without room on a Node where something failed, as its script says with `name_full`. */
export const fullOf = (answer: Pick<Answer, 'get'>): readonly string[] =>
  (answer.get('full')?.toString('utf8') ?? '')
    .split('\n')
    .filter((path) => /^\/[\w./-]{0,100}$/.test(path))
    .slice(0, MOST)

/** What the failure says with that, and its details; as it is where there is room. */
export const sayingFull = (
  message: string,
  node: string,
  full: readonly string[],
): { readonly message: string; readonly details: Details } =>
  full.length === 0
    ? { message, details: {} }
    : {
        message: `${message} No space is left on the Node ${node} at ${full.join(', ')} (\`df -h\` and \`df -i\` there). Make room, then run the same command again.`,
        details: { full_file_systems: full },
      }
