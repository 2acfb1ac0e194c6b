import type { DatabaseEngine } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'

/** What a host must have, so that images of real engines can be made on it without a registry. */
export const ENGINE_PACKAGES = ['mariadb-client', 'mariadb-server-core', 'postgresql']

export type RealEngine = Exclude<DatabaseEngine, 'mysql'>

/**
 * A file system of programs with the libraries that they need. Each client writes down its words before it runs, so that a
 * secret among them is found in a file.
 */
const LIBRARY = `
root=$(mktemp -d -p /srv)
trap 'rm -rf "$root"' EXIT
mkdir -p $root/usr/bin $root/usr/sbin $root/usr/lib $root/usr/lib64 $root/usr/local/bin $root/etc $root/var/lib $root/run
mkdir -m 1777 $root/tmp
for name in bin sbin lib lib64; do ln -s usr/$name $root/$name; done
take() {
  for path in $(readlink -f "$@"); do
    cp -L --parents "$path" $root
    ldd "$path" 2>/dev/null | grep -o '/[^ ]*' | while read -r each; do [ -e "$root$each" ] || cp -L --parents "$each" $root; done
  done
}
noted() {
  for name; do
    printf '#!/bin/sh\\nprintf "%%s\\\\n" "$0 $*" >>/tmp/words\\nexec %s "$@"\\n' "$clients/$name" >$root/usr/local/bin/$name
    chmod 755 $root/usr/local/bin/$name
  done
}
take /bin/sh
for name in awk basename cat chmod chown cut date dirname env getopt grep head hostname id ls mkdir mv rm sed setpriv sleep tail touch tr uname; do
  take $(command -v $name)
  [ -e $root/usr/bin/$name ] || ln -s "$(readlink -f "$(command -v $name)")" $root/usr/bin/$name
done
ln -sf dash $root/usr/bin/sh
printf 'root:x:0:0::/root:/bin/sh\\nengine:x:999:999::/tmp:/bin/sh\\n' >$root/etc/passwd
printf 'root:x:0:\\nengine:x:999:\\n' >$root/etc/group
finish() {
  chmod 755 $root $root/entry
  tar -C $root -c . | docker import -c 'ENTRYPOINT ["/entry"]' -c "ENV PATH=/usr/local/bin:$1:/usr/sbin:/usr/bin" - "$2" >/dev/null
}`

/** The entries do what those of the official images do with an empty volume, in their order, and nothing with another one. */
const MARIADB = `${LIBRARY}
clients=/usr/bin
take /usr/sbin/mariadbd /usr/bin/mariadb /usr/bin/mariadb-dump /usr/bin/my_print_defaults
cp -a --parents /usr/bin/mariadb-install-db /usr/share/mysql $root
rm -rf $root/usr/share/mysql/mysql-test
noted mariadb mariadb-dump
cat >$root/entry <<'EOF'
#!/bin/sh
set -eu
data=/var/lib/mysql
if [ ! -d $data/mysql ]; then
  chown engine:engine $data
  mariadb-install-db --no-defaults --user=engine --datadir=$data --rpm --skip-test-db --auth-root-authentication-method=normal >/dev/null
  mariadbd --no-defaults --bootstrap --user=engine --datadir=$data <<SQL
FLUSH PRIVILEGES;
DELETE FROM mysql.global_priv WHERE User = '' OR User = 'root' AND Host <> 'localhost';
FLUSH PRIVILEGES;
ALTER USER root@localhost IDENTIFIED BY '$MARIADB_ROOT_PASSWORD';
CREATE USER root@'%' IDENTIFIED BY '$MARIADB_ROOT_PASSWORD';
GRANT ALL ON *.* TO root@'%' WITH GRANT OPTION;
SQL
fi
exec "$@" --no-defaults --user=engine --datadir=$data --socket=/tmp/socket --bind-address=0.0.0.0 --skip-name-resolve
EOF
finish /usr/bin "$1"`

const PGSQL = `${LIBRARY}
clients=$(echo /usr/lib/postgresql/*/bin)
cp -a --parents $(dirname $clients) /usr/share/postgresql /usr/share/zoneinfo $root
# Its library is larger than all the rest.
rm -rf $root$(dirname $clients)/lib/llvmjit* $root$(dirname $clients)/lib/bitcode
for name in postgres initdb psql pg_dump; do take $clients/$name; done
noted psql pg_dump
cat >$root/entry <<'EOF'
#!/bin/sh
set -eu
data=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
  mkdir -p $data
  chown engine:engine $data
  chmod 700 $data
  exec setpriv --reuid=999 --regid=999 --clear-groups "$0" "$@"
fi
if [ ! -s $data/PG_VERSION ]; then
  printf '%s\\n' "$POSTGRES_PASSWORD" | initdb --encoding=UTF8 --locale=C --username=postgres --pwfile=/dev/stdin -D $data >/dev/null
  printf 'host all all all scram-sha-256\\n' >>$data/pg_hba.conf
fi
exec "$@" -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
EOF
finish $clients "$1"`

/** Tags, as a request names them: Debian's version of each. */
export async function makeEngineImages(host: Host): Promise<Readonly<Record<RealEngine, string>>> {
  // The package starts a server of its own.
  await host.run(['systemctl', 'disable', '--now', 'postgresql'])
  const version = (await host.run(['sh', '-c', 'ls /usr/lib/postgresql'])).trim()
  const tags = { mariadb: 'mariadb:debian', pgsql: `postgres:${version}` } as const
  const options = { timeoutSeconds: 300 }
  await host.run(['bash', '--norc', '-euo', 'pipefail', '-c', MARIADB, 'bash', tags.mariadb], options)
  await host.run(['bash', '--norc', '-euo', 'pipefail', '-c', PGSQL, 'bash', tags.pgsql], options)
  await host.run(['sync'])
  return tags
}
