import { type Answer, textFile } from '@fleet/shell'
import type { MoreOfRefusal } from '#/nodes/api.ts'

/** `removed_by`: what an installation would remove. Nothing that the machine has is removed without a word of its owner. */
export const REMOVED_BY: string = textFile('removed-by.sh', import.meta.url)

/**
 * What an installation that was refused would have removed (field `would_remove`) for which packages (field `wanted`), one a line each,
 * and how to have it done. Names that are none of Debian are left out.
 */
export function blockedBy(answer: Answer, what: string): MoreOfRefusal {
  const [removed, wanted] = [namesIn(answer, 'would_remove'), namesIn(answer, 'wanted')]
  const others = removed.length > 0 ? removed.join(', ') : 'other packages'
  return {
    message:
      `For what ${what} needs, apt would remove ${others} from the machine, so nothing was installed. ` +
      `\`apt-get install --no-install-recommends ${wanted.join(' ')}\` there shows all of it and asks before it does it; ` +
      'then repeat the command.',
    details: { would_remove: removed },
  }
}

const NAME = /^[a-z0-9][a-z0-9+.-]{0,127}(?::[a-z0-9-]{1,32})?$/

const namesIn = (answer: Answer, field: string): readonly string[] =>
  (answer.get(field)?.toString() ?? '').split('\n').filter((name) => NAME.test(name))
