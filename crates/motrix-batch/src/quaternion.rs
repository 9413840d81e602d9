//! The order of a quaternion's numbers: `i j k w` in rows, where users see them, `w x y z` in lanes, where kernels compute.

use motrix_model::{Model, SensorDataKind};

/// From the order of rows to that of lanes, for the quaternions that begin at `starts`.
pub fn into_lanes<T>(starts: &[usize], numbers: &mut [T]) {
    for &first in starts {
        numbers[first..first + 4].rotate_right(1);
    }
}

/// From the order of lanes to that of rows, for the quaternions that begin at `starts`.
pub fn into_rows<T>(starts: &[usize], numbers: &mut [T]) {
    for &first in starts {
        numbers[first..first + 4].rotate_left(1);
    }
}

/// Where the quaternions in the sensor vector begin.
pub fn of_sensors(model: &Model) -> Vec<usize> {
    let quaternions = model
        .sensors
        .iter()
        .filter(|sensor| sensor.data == SensorDataKind::Quaternion && sensor.dim == 4);
    quaternions.map(|sensor| sensor.first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_orders_are_inverse_to_each_other() {
        let mut row = [9, 1, 2, 3, 0, 9];
        into_lanes(&[1], &mut row);
        assert_eq!(row, [9, 0, 1, 2, 3, 9], "w comes first in lanes");
        into_rows(&[1], &mut row);
        assert_eq!(row, [9, 1, 2, 3, 0, 9]);
    }
}
