// Reads a sensor whose functions are described in `sensor.effects`.
#include <assert.h>

int sensor_read(int number, int *value);
void sensor_log(const char *text, ...);
void sensor_panic(void);

int main(void) {
    int value = 0;
    if (sensor_read(3, &value) != 0 && (value < 0 || value > 100)) {
        sensor_log("value %d is out of range", value);
        sensor_panic();
    }
    int error = sensor_read(4, &value);
    assert(error == 0 || error == 1);
    return 0;
}
