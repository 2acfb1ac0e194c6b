<?php
// Asks a pool for a page as the web server would, and prints what came of it, the status and the beginning of the body.
// Arguments: socket, root of the web, path with its query, domain, seconds, bytes of the body.
[, $socket, $root, $target, $domain, $seconds, $kept] = $argv;
$end = microtime(true) + (float) $seconds;

const READ_MAX_BYTES = 1048576;

function record(int $type, string $body): string
{
    return pack('CCnnCC', 1, $type, 1, strlen($body), 0, 0) . $body;
}

function request(string $root, string $target, string $domain): ?string
{
    [$path, $query] = explode('?', $target, 2) + [1 => ''];
    $name = str_ends_with($path, '.php') && is_file($root . $path) ? $path : '/index.php';
    if (!is_file($root . $name)) {
        return null;
    }
    $values = [
        'GATEWAY_INTERFACE' => 'CGI/1.1',
        'REQUEST_METHOD' => 'GET',
        'REQUEST_SCHEME' => 'https',
        'REQUEST_URI' => $target,
        'DOCUMENT_ROOT' => $root,
        'DOCUMENT_URI' => $name,
        'SCRIPT_FILENAME' => $root . $name,
        'SCRIPT_NAME' => $name,
        'QUERY_STRING' => $query,
        'SERVER_PROTOCOL' => 'HTTP/1.1',
        'SERVER_NAME' => $domain,
        'SERVER_PORT' => '443',
        'REMOTE_ADDR' => '127.0.0.1',
        'HTTPS' => 'on',
        'HTTP_HOST' => $domain,
        'HTTP_USER_AGENT' => 'fleet-deployment',
        'HTTP_ACCEPT' => '*/*',
    ];
    $parameters = '';
    foreach ($values as $name => $value) {
        $parameters .= pack('NN', strlen($name) | 0x80000000, strlen($value) | 0x80000000) . $name . $value;
    }
    return record(1, pack('nCx5', 1, 0)) . record(4, $parameters) . record(4, '') . record(5, '');
}

// What the pool has printed when it said that it is done; null when it had not by the end.
function answer($connection, float $end): ?string
{
    $read = '';
    $output = '';
    while (strlen($output) < READ_MAX_BYTES) {
        while (strlen($read) >= 8) {
            $header = unpack('Cversion/Ctype/nid/nlength/Cpadding/Creserved', $read);
            $whole = 8 + $header['length'] + $header['padding'];
            if (strlen($read) < $whole) {
                break;
            }
            if ($header['type'] === 3) {
                return $output;
            }
            if ($header['type'] === 6) {
                $output .= substr($read, 8, $header['length']);
            }
            $read = substr($read, $whole);
        }
        $left = $end - microtime(true);
        if ($left <= 0) {
            return null;
        }
        stream_set_timeout($connection, (int) $left, (int) (($left - (int) $left) * 1e6));
        $chunk = fread($connection, 65536);
        if (stream_get_meta_data($connection)['timed_out']) {
            return null;
        }
        if ($chunk === false || ($chunk === '' && feof($connection))) {
            return '';
        }
        $read .= $chunk;
    }
    return $output;
}

function outcome(string $socket, string $root, string $target, string $domain, float $end): array
{
    $request = request($root, $target, $domain);
    if ($request === null) {
        return ['missing'];
    }
    $connection = @stream_socket_client("unix://$socket", $number, $message, 5);
    if ($connection === false) {
        return ['unavailable'];
    }
    fwrite($connection, $request);
    $answer = answer($connection, $end);
    if ($answer === null) {
        return ['silent'];
    }
    $split = strpos($answer, "\r\n\r\n");
    if ($split === false) {
        return ['broken'];
    }
    $head = substr($answer, 0, $split);
    $status = preg_match('/^Status: (\d{3})\b/mi', $head, $found) ? $found[1] : '200';
    return ['answered', $status, substr($answer, $split + 4)];
}

[$word, $status, $body] = outcome($socket, $root, $target, $domain, $end) + [1 => '', 2 => ''];
echo "$word $status " . base64_encode(substr($body, 0, (int) $kept)), "\n";
