import type { Command } from '@fleet/shell'

interface Home {
  readonly releases: Map<string, 'partial' | 'complete'>
  /** The release that `current` leads to. */
  current: string | undefined
}

type Answer = Readonly<Record<string, string>>

const RELEASE = /^(.+)\/releases\/([^/]+)$/

/** Production homes of a Node, as the scripts on their releases leave them. */
export class Homes {
  readonly #homes = new Map<string, Home>()

  /** The release that `current` of a home leads to; undefined before the first deployment. */
  selectedIn(home: string): string | undefined {
    return this.#homes.get(home)?.current
  }

  /** Releases of a home that may be selected, oldest first. */
  completeIn(home: string): readonly string[] {
    const releases = [...(this.#homes.get(home)?.releases ?? [])]
    return releases.flatMap(([name, state]) => (state === 'complete' ? [name] : [])).toSorted()
  }

  /** The home has a release and serves it. */
  add(home: string, release: string): void {
    this.#homes.set(home, { releases: new Map([[release, 'complete']]), current: release })
  }

  /** Answers a script on releases at a path, as the real one does; undefined for what is none. */
  answer(title: string, path: string, { shown }: Pick<Command, 'shown'>): Answer | undefined {
    const [, at = '', name = ''] = RELEASE.exec(path) ?? []
    if (at === '') return undefined
    const home = this.#homes.get(at) ?? { releases: new Map(), current: undefined }
    this.#homes.set(at, home)
    switch (title) {
      case 'list releases':
        return listed(home)
      case 'prepare checkout':
        if (!home.releases.has(name)) home.releases.set(name, 'partial')
        return { answer: 'prepared' }
      case 'link environment':
        return { answer: home.releases.has(name) ? 'linked' : 'foreign' }
      case 'select release':
        return { answer: select(home, name, / new( |$)/.test(shown)) }
      case 'discard checkout':
        if (home.current === name) throw new Error(`${name} is deleted while ${at} serves it`)
        home.releases.delete(name)
        return { answer: 'gone' }
      default:
        return undefined
    }
  }
}

const listed = ({ releases, current }: Home): Answer => ({
  ...(current === undefined ? {} : { selected: `releases/${current}` }),
  ...Object.fromEntries(
    [...releases].map(([name, state]) =>
      state === 'complete' ? [`release.${name}`, state] : [`partial.${name}`, 'own'],
    ),
  ),
  answer: 'listed',
})

function select(home: Home, name: string, isNew: boolean): string {
  if (!home.releases.has(name)) return 'foreign'
  if (isNew) home.releases.set(name, 'complete')
  if (home.releases.get(name) !== 'complete') return 'incomplete'
  home.current = name
  return 'selected'
}
