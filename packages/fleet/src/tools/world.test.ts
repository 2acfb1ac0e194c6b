import { rmSync } from 'node:fs'
import { fakeCall, type ServiceFleet, startServiceFleet } from '@fleet/testing'
import { findTool, toolsOn } from '#/tools/queries.ts'

/** One package as the apt of a test knows it. */
export interface AptPackage {
  readonly candidate?: string
  readonly installed?: string
  /** A word of dpkg in the place of `installed`. */
  readonly status?: string
  /** What its removal would remove besides. */
  readonly neededBy?: string
  /** What its removal would install in its place. */
  readonly replacedBy?: string
  /** Debian cannot do without it. */
  readonly isEssential?: true
  /** What apt says when it plans no removal. */
  readonly unplanned?: string
}

/** A Node whose programs of apt are these, with the real scripts over them. They write down their arguments. */
export interface AptWorld extends AsyncDisposable {
  readonly fleet: ServiceFleet
  set(name: string, given: AptPackage): void
  installed(name: string): string | undefined
  /** Lets apt-get fail with these words, before or after it did its work. */
  fail(message: string, when?: 'before' | 'after'): void
  works(): void
  /** Leaves a package half configured, as a machine that lost its power in the middle does. */
  interrupt(): void
  /** What apt says of the lock when it is asked once more. */
  locked(by: string): void
  /** Arguments of every apt-get that changed or planned something. */
  ran(): readonly string[]
  rows(): ReturnType<typeof toolsOn>
  row(id: number): ReturnType<typeof findTool>
  readonly handlers: ServiceFleet['domains']['tools']['handlers']
}

// Facts of a package are files: <root>/apt/<name>/{candidate,installed,status,needed-by,replaced-by,essential,unplanned}.
const APT_GET = `
log=$0.log apt=\${0%/fake/*}/apt
for word; do case $word in update) exit 0 ;; check) cat "$apt/holder" >&2; exit 100 ;; esac; done
echo "$*" >>"$log"
simulate= verb= name=
for word; do
  case $word in
    --simulate) simulate=yes ;;
    install | remove | update) verb=$word ;;
  esac
  name=$word
done
failing() { if [ "$(cat "$apt/fail-$1" 2>/dev/null)" ]; then cat "$apt/fail-$1" >&2; exit 100; fi; }
if [ "$simulate" ]; then
  [ ! -e "$apt/$name/unplanned" ] || { cat "$apt/$name/unplanned" >&2; exit 100; }
  [ ! -e "$apt/$name/essential" ] || printf '%s\\n' 'WARNING: The following essential packages will be removed.' "  $name"
  if [ -e "$apt/$name/installed" ]; then
    echo "Remv $name [$(cat "$apt/$name/installed")]"
    if [ -e "$apt/$name/needed-by" ]; then echo "Remv $(cat "$apt/$name/needed-by") [1.0]"; fi
    if [ -e "$apt/$name/replaced-by" ]; then echo "Inst $(cat "$apt/$name/replaced-by") (1.0 Debian:12.5/stable [amd64])"; fi
  fi
  exit 0
fi
failing before
case $verb in
  install) cp "$apt/$name/candidate" "$apt/$name/installed"; rm -f "$apt/$name/status" ;;
  remove) rm -f "$apt/$name/installed" "$apt/$name/status" ;;
esac
failing after
exit 0`
const APT_CACHE = `
for name; do :; done
apt=\${0%/fake/*}/apt/$name
[ -d "$apt" ] || exit 0
echo "$name:"
echo "  Installed: $(cat "$apt/installed" 2>/dev/null || echo '(none)')"
echo "  Candidate: $(cat "$apt/candidate" 2>/dev/null || echo '(none)')"
echo "  Version table:"`
const DPKG_QUERY = `
for name; do :; done
case $name in '\${'*) cat "\${0%/fake/*}/apt/statuses"; exit ;; esac
apt=\${0%/fake/*}/apt/$name
case $3 in *Status*) ;; *) cat "$apt/installed"; exit ;; esac
if [ -e "$apt/installed" ]; then echo "$(cat "$apt/status" 2>/dev/null || echo installed) $(cat "$apt/installed")"; else exit 1; fi`

export async function startAptWorld(): Promise<AptWorld> {
  const fleet = await startServiceFleet()
  const { host, store, node, domains } = fleet
  await store.db.updateTable('nodes').set({ platform: 'linux' }).execute()
  host.install('apt-get', APT_GET)
  host.install('apt-cache', APT_CACHE)
  host.install('dpkg-query', DPKG_QUERY)
  host.install('dpkg', 'echo "dpkg $*" >>"${0%/*}/apt-get.log"; rm "${0%/fake/*}/apt/statuses"')
  host.write('apt/apt/installed', '2.6.1')
  // What is on the disk of this machine is of no concern here.
  host.install('sync', 'exit 0')
  const at = (...path: readonly string[]): string => host.at(['apt', ...path].join('/'))
  const put = (path: string, text: string | undefined): void => {
    if (text === undefined) rmSync(at(path), { force: true })
    else host.write(`apt/${path}`, text)
  }
  return {
    fleet,
    handlers: domains.tools.handlers,
    set: (name, given) => {
      host.write(`apt/${name}/known`, '')
      put(`${name}/candidate`, given.candidate)
      put(`${name}/installed`, given.installed)
      put(`${name}/status`, given.status)
      put(`${name}/needed-by`, given.neededBy)
      put(`${name}/replaced-by`, given.replacedBy)
      put(`${name}/essential`, given.isEssential && 'yes')
      put(`${name}/unplanned`, given.unplanned)
    },
    installed: (name) => host.read(`apt/${name}/installed`),
    fail: (message, when = 'before') => put(`fail-${when}`, `E: ${message}\n`),
    interrupt: () => host.write('apt/statuses', 'installed\nhalf-configured\n'),
    locked: (by) => host.write('apt/holder', `E: Could not get lock /var/lib/dpkg/lock-frontend.${by}\n`),
    works: () => {
      put('fail-before', undefined)
      put('fail-after', undefined)
    },
    ran: () => (host.read('fake/apt-get.log') ?? '').split('\n').filter(Boolean),
    rows: () => toolsOn(store.db, node.id),
    row: (id) => findTool(store.db, id),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

export const request = (world: AptWorld, name: string, version_constraint?: string | null) =>
  ({
    node_id: world.fleet.node.id,
    manager: 'apt',
    package: name,
    ...(version_constraint === undefined ? {} : { version_constraint }),
  }) as const

export const install = (world: AptWorld, name: string, constraint?: string | null, call = fakeCall()) =>
  world.handlers['tool:install']({ call, input: request(world, name, constraint) })

export const adopt = (world: AptWorld, name: string, constraint?: string | null) =>
  world.handlers['tool:adopt']({ call: fakeCall(), input: request(world, name, constraint) })

export const update = (world: AptWorld, tool: number) =>
  world.handlers['tool:update']({ call: fakeCall(), input: { tool } })

export const remove = (world: AptWorld, tool: number) =>
  world.handlers['tool:remove']({ call: fakeCall(), input: { tool } })
