<?php
// The container of the application, which makes and calls what is asked of it, and the settings.
echo "Deprecated: something that an application prints as it starts\n";
fwrite(STDERR, "a warning\n");

return new class {
    public function make(string $name): object
    {
        if ($name === 'Illuminate\\Contracts\\Console\\Kernel') {
            return new class {
                public function bootstrap(): void
                {
                    if (is_file('storage/broken')) {
                        throw new RuntimeException('No application encryption key has been specified.');
                    }
                }
            };
        }
        return $name === 'config' ? new class {
            public function get(string $key, $default = null)
            {
                return Laravel\Horizon\Http\Controllers\Store::read()['config'][$key] ?? $default;
            }
        } : new $name();
    }

    public function call(array $what, array $given = [])
    {
        $arguments = [];
        foreach ((new ReflectionMethod(...$what))->getParameters() as $parameter) {
            $arguments[] = $given[$parameter->getName()] ?? $this->make($parameter->getType()->getName());
        }
        return $what(...$arguments);
    }
};
