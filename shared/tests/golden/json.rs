//! Golden data in JSON: floats are bit patterns in decimal.

use glam::Vec3;
use serde_json::Value;

pub fn integer(value: &Value) -> i32 {
    // Unsigned and signed numbers both occur for the same 32 bits.
    value.as_i64().expect("an integer") as i32
}

pub fn integers<const N: usize>(value: &Value) -> [i32; N] {
    let list = list(value);
    assert_eq!(list.len(), N, "{value}");
    std::array::from_fn(|index| integer(&list[index]))
}

pub fn float(value: &Value) -> f32 {
    f32::from_bits(integer(value) as u32)
}

pub fn vec3(value: &Value) -> Vec3 {
    Vec3::from_array(integers::<3>(value).map(|bits| f32::from_bits(bits as u32)))
}

pub fn floats(value: &Value) -> Vec<f32> {
    list(value).iter().map(float).collect()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

pub fn from_float(value: f32) -> Value {
    Value::from(value.to_bits())
}

pub fn from_vec3(vector: Vec3) -> Value {
    vector.to_array().map(f32::to_bits).to_vec().into()
}
