<?php
// Asks a pool to reset its opcode cache, and asks again until a later request has seen the reset.
// Arguments: socket, script of the pool, its name, its user id, seconds.
[, $socket, $script, $pool, $user, $seconds] = $argv;
$end = microtime(true) + (float) $seconds;

function ask(string $socket, string $script, string $action, float $end): ?array
{
    $connection = @stream_socket_client("unix://$socket", $number, $message, 5);
    if ($connection === false) {
        return null;
    }
    stream_set_timeout($connection, max(1, (int) ceil($end - microtime(true))));
    $parameters = '';
    $values = [
        'SCRIPT_FILENAME' => $script,
        'SCRIPT_NAME' => '/cache.php',
        'REQUEST_METHOD' => 'GET',
        'FLEET_CACHE' => $action,
    ];
    foreach ($values as $name => $value) {
        $parameters .= pack('NN', strlen($name) | 0x80000000, strlen($value) | 0x80000000) . $name . $value;
    }
    $record = fn(int $type, string $body): string => pack('CCnnCC', 1, $type, 1, strlen($body), 0, 0) . $body;
    fwrite($connection, $record(1, pack('nCx5', 1, 0)) . $record(4, $parameters) . $record(4, '') . $record(5, ''));
    $answer = (string) stream_get_contents($connection);
    $output = '';
    for ($at = 0; $at + 8 <= strlen($answer); $at += 8 + $header['length'] + $header['padding']) {
        $header = unpack('Cversion/Ctype/nid/nlength/Cpadding/Creserved', $answer, $at);
        if ($header['type'] === 6) {
            $output .= substr($answer, $at + 8, $header['length']);
        }
    }
    return json_decode(substr($output, (int) strpos($output, "\r\n\r\n")), true) ?? [];
}

function outcome(string $socket, string $script, string $pool, string $user, float $end): string
{
    $before = ask($socket, $script, 'reset', $end);
    if ($before === null) {
        return 'unavailable';
    }
    if (($before['pool'] ?? null) !== $pool || (string) ($before['user'] ?? '') !== $user) {
        return 'association';
    }
    if ($before['reset'] !== true) {
        return 'rejected';
    }
    do {
        usleep(20000);
        $now = ask($socket, $script, 'state', $end);
        if (($now['pending'] ?? true) === false && ($now['generation'] ?? null) !== $before['generation']) {
            return 'reset';
        }
    } while (microtime(true) < $end);
    return 'pending';
}

echo outcome($socket, $script, $pool, $user, $end);
